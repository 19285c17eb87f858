create table entry (id int);
