create table entry (text varchar(20));
