/*
 * Runs a program whose wall clock shows the microseconds since 1970 in a file, or the real time while that number is 0:
 *
 *     server-clock FILE PROGRAM ARGUMENTS...
 *
 * Programs get the time without a system call, by functions that the kernel maps into each of them (the vDSO). A second process
 * replaces these functions whenever the program is loaded, as a debugger would, by functions that read the file. So this works for
 * programs that are linked statically too, costs nothing for each reading, and stops as long as the number stays the same. The
 * monotonic clock stays as it is. Only for Linux on x86-64.
 */
#define _GNU_SOURCE
#include <elf.h>
#include <errno.h>
#include <fcntl.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <signal.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <sys/auxv.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/ptrace.h>
#include <sys/syscall.h>
#include <sys/uio.h>
#include <sys/user.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

/* Addresses that programs do not use, of one page for the file and one for the functions. */
#define PAGE 4096
#define CLOCK_AT 0x600000000000
#define FUNCTIONS_AT (CLOCK_AT + PAGE)

#define MICROS (*(volatile int64_t *) CLOCK_AT)
#define FUNCTION __attribute__((section("functions"), noinline, used))

static inline __attribute__((always_inline)) long system_call(long number, long first, long second) {
    long result;
    __asm__ volatile("syscall" : "=a"(result) : "a"(number), "D"(first), "S"(second) : "rcx", "r11", "memory");
    return result;
}

FUNCTION long replaced_clock_gettime(long clock, int64_t *time) {
    int64_t micros = MICROS;
    if (micros == 0 || (clock != CLOCK_REALTIME && clock != CLOCK_REALTIME_COARSE)) {
        return system_call(SYS_clock_gettime, clock, (long) time);
    }
    time[0] = micros / 1000000;
    time[1] = micros % 1000000 * 1000;
    return 0;
}

FUNCTION long replaced_gettimeofday(int64_t *time, void *zone) {
    int64_t micros = MICROS;
    if (micros == 0) {
        return system_call(SYS_gettimeofday, (long) time, (long) zone);
    }
    time[0] = micros / 1000000;
    time[1] = micros % 1000000;
    return 0;
}

FUNCTION long replaced_time(int64_t *time) {
    int64_t micros = MICROS;
    if (micros == 0) {
        return system_call(SYS_time, (long) time, 0);
    }
    if (time) {
        *time = micros / 1000000;
    }
    return micros / 1000000;
}

extern const char __start_functions[], __stop_functions[];

static const struct {
    const char *name;
    const void *by;
} REPLACED[] = {
    {"__vdso_clock_gettime", replaced_clock_gettime},
    {"__vdso_gettimeofday", replaced_gettimeofday},
    {"__vdso_time", replaced_time},
};

static void fail(const char *step) {
    perror(step);
    _exit(1);
}

static void write_memory(pid_t program, uint64_t address, const void *data, size_t size) {
    for (size_t i = 0; i < size; i += sizeof(long)) {
        long word = 0;
        memcpy(&word, (const char *) data + i, size - i < sizeof(long) ? size - i : sizeof(long));
        if (ptrace(PTRACE_POKEDATA, program, address + i, word)) {
            fail("write memory");
        }
    }
}

/* Lets the program, which has not executed its first instruction, map a page at that address. */
static void map_page(pid_t program, uint64_t address, int protection, int flags, int file) {
    struct user_regs_struct before;
    ptrace(PTRACE_GETREGS, program, 0, &before);
    long code = ptrace(PTRACE_PEEKDATA, program, before.rip, 0);
    long syscall_instruction = (code & ~0xffffL) | 0x050f;
    struct user_regs_struct call = before;
    call.rax = SYS_mmap;
    call.orig_rax = -1;
    call.rdi = address;
    call.rsi = PAGE;
    call.rdx = protection;
    call.r10 = flags | MAP_FIXED_NOREPLACE;
    call.r8 = file;
    call.r9 = 0;
    int status;
    if (ptrace(PTRACE_POKEDATA, program, before.rip, syscall_instruction) || ptrace(PTRACE_SETREGS, program, 0, &call)
        || ptrace(PTRACE_SINGLESTEP, program, 0, 0) || waitpid(program, &status, __WALL) != program
        || ptrace(PTRACE_GETREGS, program, 0, &call) || call.rax != address
        || ptrace(PTRACE_POKEDATA, program, before.rip, code) || ptrace(PTRACE_SETREGS, program, 0, &before)) {
        fail("map a page");
    }
}

/* Returns the address of the functions of the kernel, which differs in each program. */
static uint64_t kernel_functions(pid_t program) {
    char name[32];
    snprintf(name, sizeof name, "/proc/%d/auxv", program);
    int file = open(name, O_RDONLY);
    uint64_t entry[2];
    while (read(file, entry, sizeof entry) == sizeof entry && entry[0] != AT_NULL) {
        if (entry[0] == AT_SYSINFO_EHDR) {
            close(file);
            return entry[1];
        }
    }
    fail("find the functions of the kernel");
    return 0;
}

/* The functions of the kernel are the same as in this program, apart from their address. */
static void replace_functions(pid_t program, int file) {
    map_page(program, CLOCK_AT, PROT_READ, MAP_SHARED, file);
    map_page(program, FUNCTIONS_AT, PROT_READ | PROT_EXEC, MAP_PRIVATE | MAP_ANONYMOUS, -1);
    write_memory(program, FUNCTIONS_AT, __start_functions, __stop_functions - __start_functions);
    uint64_t kernel = kernel_functions(program);
    const char *own = (const char *) getauxval(AT_SYSINFO_EHDR);
    const Elf64_Ehdr *header = (const Elf64_Ehdr *) own;
    const Elf64_Shdr *sections = (const Elf64_Shdr *) (own + header->e_shoff);
    for (int i = 0; i < header->e_shnum; i++) {
        const Elf64_Sym *symbols = (const Elf64_Sym *) (own + sections[i].sh_offset);
        for (size_t s = 0; sections[i].sh_type == SHT_DYNSYM && s < sections[i].sh_size / sizeof *symbols; s++) {
            const char *name = own + sections[sections[i].sh_link].sh_offset + symbols[s].st_name;
            for (size_t r = 0; r < sizeof REPLACED / sizeof *REPLACED; r++) {
                if (strcmp(name, REPLACED[r].name) == 0) {
                    uint64_t by = FUNCTIONS_AT + ((const char *) REPLACED[r].by - __start_functions);
                    /* mov rax, by; jmp rax */
                    unsigned char jump[16] = {0x48, 0xb8, 0, 0, 0, 0, 0, 0, 0, 0, 0xff, 0xe0};
                    memcpy(jump + 2, &by, sizeof by);
                    write_memory(program, kernel + symbols[s].st_value, jump, sizeof jump);
                }
            }
        }
    }
}

/* Valkey 9 adds to the time what a counter of the processor shows, if this file promises that its rate is constant. */
static void hide_processor(pid_t program) {
    static const char processor[] = "/proc/cpuinfo";
    struct user_regs_struct call;
    ptrace(PTRACE_GETREGS, program, 0, &call);
    char path[sizeof processor] = "";
    struct iovec here = {path, sizeof path};
    struct iovec there = {(void *) (call.orig_rax == SYS_open ? call.rdi : call.rsi), sizeof path};
    process_vm_readv(program, &here, 1, &there, 1, 0);
    if (memcmp(path, processor, sizeof path) == 0) {
        call.orig_rax = -1;
        call.rax = -ENOENT;
        ptrace(PTRACE_SETREGS, program, 0, &call);
    }
}

static void trace(pid_t program, int file, int ready) {
    long options = PTRACE_O_EXITKILL | PTRACE_O_TRACEEXEC | PTRACE_O_TRACESECCOMP | PTRACE_O_TRACECLONE | PTRACE_O_TRACEFORK
        | PTRACE_O_TRACEVFORK;
    if (ptrace(PTRACE_SEIZE, program, 0, options) || write(ready, "", 1) != 1) {
        fail("trace the program");
    }
    close(ready);
    int status;
    for (pid_t stopped; (stopped = waitpid(-1, &status, __WALL)) > 0;) {
        int event = status >> 16;
        if (!WIFSTOPPED(status)) {
            continue;
        }
        if (event == PTRACE_EVENT_EXEC) {
            /* To the end of the system call that has loaded the program, which would set a register. */
            ptrace(PTRACE_SYSCALL, stopped, 0, 0);
            waitpid(stopped, &status, __WALL);
            replace_functions(stopped, file);
        } else if (event == PTRACE_EVENT_SECCOMP) {
            hide_processor(stopped);
        }
        /* A program that is stopped by a signal stays so; other signals are passed on. */
        int stays = event == PTRACE_EVENT_STOP && WSTOPSIG(status) != SIGTRAP;
        ptrace(stays ? PTRACE_LISTEN : PTRACE_CONT, stopped, 0, event ? 0 : WSTOPSIG(status));
    }
}

/* Lets the tracing process stop this program, and those that replace it, when they open a file. */
static void stop_at_open(void) {
    struct sock_filter filter[] = {
        BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, nr)),
        BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, SYS_open, 2, 0),
        BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, SYS_openat, 1, 0),
        BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW),
        BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_TRACE),
    };
    struct sock_fprog rules = {sizeof filter / sizeof *filter, filter};
    if (prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) || prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &rules)) {
        fail("filter system calls");
    }
}

int main(int count, char **arguments) {
    if (count < 3) {
        return 2;
    }
    int file = open(arguments[1], O_RDONLY);
    int ready[2];
    if (file < 0 || pipe(ready)) {
        fail(arguments[1]);
    }
    pid_t program = getpid();
    prctl(PR_SET_PTRACER, PR_SET_PTRACER_ANY, 0, 0, 0);
    /* Twice, because the program must not have a child that it does not know. */
    if (fork() == 0) {
        if (fork() == 0) {
            close(ready[0]);
            trace(program, file, ready[1]);
        }
        _exit(0);
    }
    wait(NULL);
    close(ready[1]);
    char byte;
    if (read(ready[0], &byte, 1) != 1) {
        fail("start the tracing process");
    }
    close(ready[0]);
    stop_at_open();
    execv(arguments[2], arguments + 2);
    fail(arguments[2]);
}
