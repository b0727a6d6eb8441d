# Starts a program and adopts its orphans: Linux reparents orphans to the nearest "child subreaper" instead of init. A
# daemon is therefore found even if it double-forks, leaves its session and clears its environment. Once the last child has
# exited, nothing is left. The supervisor ends all descendants, politely at first, when the program exits, the runner asks
# for it (TERM), or the runner dies (HUP from the kernel and from the terminal, which hangs up). Then it exits with the
# program's status.
#
# Keys that the program left unread are lost with the terminal. Only this process can count them. It prints their number
# last, as a sequence that terminals don't show.
#
# Arguments: the system call numbers of prctl, prlimit64, unshare and mount; the limit that marks the program's descendants;
# the runner's pid; the user and group to run as, or 0 and 0; a list of users that replaces /etc/passwd, or ""; a control
# group's process list to join, or ""; the program and its arguments. Run this with `perl -e`: other users then don't need
# permission to read this file.
use strict;
use warnings;
# Included in Debian's `perl-base`.
use POSIX ();

my ($PRCTL, $PRLIMIT, $UNSHARE, $MOUNT, $LIMIT, $RUNNER, $USER, $GROUP) = map { $_ + 0 } splice @ARGV, 0, 8;
my $PASSWD = shift;
my $CONTROL_GROUP = shift;
my ($SET_DEATH_SIGNAL, $SET_CHILD_SUBREAPER) = (1, 36);
my ($LIMIT_CORE, $LIMIT_PROCESSES, $LIMIT_RTTIME) = (4, 6, 15);
my ($SET_DUMPABLE, $DROP_CAPABILITY, $SET_NO_NEW_PRIVILEGES, $CAPABILITIES) = (4, 24, 38, 64);
my ($NEW_MOUNTS, $MOUNT_BIND, $MOUNT_BELOW, $MOUNT_FOLLOW) = (0x20000, 0x1000, 0x4000, 0x80000);
# No devices, no executables, no setuid.
my $MOUNT_HARMLESS = 0xe;
# Maximum processes and threads of an agent's user: enough to build large programs.
my $MAX_PROCESSES = 4096;
# Agents' programs have a lower priority, and if memory runs out, the kernel kills them before the runner.
my ($NICENESS, $OUT_OF_MEMORY_SCORE) = (5, 500);
my $NO_HANG = 1;
# FIONREAD, which has the same number on all supported processors.
my $UNREAD_BYTES = 0x541b;
my ($POLITE_ROUNDS, $POLITE_ROUND_S) = (40, 0.05);
my ($HARD_ROUNDS, $HARD_ROUND_S) = (2000, 0.002);
my @SIGNALS = qw(INT QUIT TSTP TTIN TTOU HUP TERM CHLD);

# Do this first, while it is permitted: processes started later can't leave the group or lower their score.
join_control_group($CONTROL_GROUP) if $CONTROL_GROUP ne '';
if ($USER) {
  be_ended_first();
  enter_own_mounts($PASSWD);
  become($USER, $GROUP);
}

# Block these signals except while waiting for them. Otherwise, Perl's `waitpid` would restart after a signal, a signal
# just before it would be lost, and any signal would cut a pause short.
my $awaited = POSIX::SigSet->new(POSIX::SIGHUP, POSIX::SIGTERM, POSIX::SIGCHLD);
my $before = POSIX::SigSet->new;
my $none = POSIX::SigSet->new;
POSIX::sigprocmask(POSIX::SIG_BLOCK, $awaited, $before);
my $ending = 0;
$SIG{$_} = sub { $ending = 1 } for qw(HUP TERM);
$SIG{CHLD} = sub { };
# Keys typed into the terminal are meant for the program.
$SIG{$_} = 'IGNORE' for qw(INT QUIT TSTP TTIN TTOU);

# If the kernel rejects any of these, the program runs without it.
syscall $PRCTL, $SET_CHILD_SUBREAPER, 1, 0, 0, 0;
syscall $PRCTL, $SET_DEATH_SIGNAL, POSIX::SIGHUP, 0, 0, 0;
set_soft_limit($LIMIT_RTTIME, $LIMIT);
# The runner died before the parent-death signal was set.
exit 129 if getppid != $RUNNER;

# Close inherited files, such as the runner's ends of other programs' terminals. With these, a process could read and type
# there, and would prevent the terminal from hanging up.
POSIX::close($_) for grep { $_ > 2 } map { m{(\d+)$} } glob "/proc/$$/fd/*";

delete $ENV{PERL_BADLANG};
my $program = fork;
exit 127 unless defined $program;
if (!$program) {
  $SIG{$_} = 'DEFAULT' for @SIGNALS;
  POSIX::sigprocmask(POSIX::SIG_SETMASK, $before);
  yield_to_others();
  exec { $ARGV[0] } @ARGV or exit 127;
}
$0 = 'sy-supervisor';

# Assume it was killed until the real status is known.
my $status = 9;
until ($ending) {
  last unless reap();
  POSIX::sigsuspend($none) unless $ending;
}
for my $round (1 .. $POLITE_ROUNDS) {
  leave() unless reap();
  my @below = descendants();
  kill TERM => @below;
  # A stopped process doesn't handle TERM until it continues.
  kill CONT => @below;
  select undef, undef, undef, $POLITE_ROUND_S;
}
for my $round (1 .. $HARD_ROUNDS) {
  leave() unless reap();
  # Orphans become children, so repeatedly killing the children reaches all of them, however fast they fork.
  my @children = children();
  kill KILL => @children ? @children : descendants();
  select undef, undef, undef, $HARD_ROUND_S;
}
leave();

# Reaps exited processes. Returns true if any are left.
sub reap {
  for (;;) {
    my $pid = waitpid -1, $NO_HANG;
    return $pid == 0 if $pid <= 0;
    ($status, $ending) = ($?, 1) if $pid == $program;
  }
}

sub leave {
  tell_unread();
  if (my $signal = $status & 127) {
    $SIG{$_} = 'DEFAULT' for @SIGNALS;
    set_soft_limit($LIMIT_CORE, 0);
    kill $signal, $$;
    POSIX::sigprocmask(POSIX::SIG_UNBLOCK, POSIX::SigSet->new($signal));
    exit 128 + $signal;
  }
  exit $status >> 8;
}

sub tell_unread {
  my $terminal = POSIX::Termios->new;
  return unless POSIX::isatty(0) && defined $terminal->getattr(0);
  # In canonical mode, only complete lines would count.
  $terminal->setlflag($terminal->getlflag & ~(POSIX::ICANON | POSIX::ECHO));
  $terminal->setattr(0, POSIX::TCSANOW);
  my $number = pack 'i', 0;
  return unless ioctl STDIN, $UNREAD_BYTES, $number;
  my $unread = unpack 'i', $number;
  syswrite STDOUT, "\e_sy-unread;$unread\e\\" if $unread > 0;
}

# Gives the user a name and hides other users' processes, only for this program. If the kernel refuses, as in most
# containers, the user has no name and other processes are visible.
sub enter_own_mounts {
  # `syscall` needs variables here.
  my ($list, $passwd, $root, $nothing) = (@_, '/etc/passwd', '/', '');
  my ($type, $processes, $hiding) = ('proc', '/proc', 'hidepid=2');
  return if syscall($UNSHARE, $NEW_MOUNTS) != 0;
  # Later mounts on the machine appear here, but not vice versa.
  return if syscall($MOUNT, $nothing, $root, 0, $MOUNT_BELOW | $MOUNT_FOLLOW, 0) != 0;
  syscall $MOUNT, $list, $passwd, 0, $MOUNT_BIND, 0 if $list ne '';
  syscall $MOUNT, $type, $processes, $type, $MOUNT_HARMLESS, $hiding;
}

# Drops root permanently: no descendant can gain privileges, even through setuid files.
sub become {
  my ($user, $group) = @_;
  syscall $PRLIMIT, 0, $LIMIT_PROCESSES, pack('QQ', $MAX_PROCESSES, $MAX_PROCESSES), 0;
  syscall $PRCTL, $DROP_CAPABILITY, $_, 0, 0, 0 for 0 .. $CAPABILITIES - 1;
  $) = "$group $group";
  POSIX::setgid($group);
  POSIX::setuid($user);
  my @groups = split ' ', "$( $)";
  exit 127 if grep({ $_ != $user } $<, $>) || grep({ $_ != $group } @groups);
  exit 127 if syscall($PRCTL, $SET_NO_NEW_PRIVILEGES, 1, 0, 0, 0) != 0;
  # After switching users, the kernel hides a process's /proc from itself.
  syscall $PRCTL, $SET_DUMPABLE, 1, 0, 0, 0;
}

sub yield_to_others {
  POSIX::nice($NICENESS);
  be_ended_first();
}

sub join_control_group {
  open my $file, '>', $_[0] or return;
  print $file 0;
  close $file;
}

# Makes the kernel kill this process first if memory runs out. Without root, the score can't be lowered again.
sub be_ended_first {
  open my $file, '>', '/proc/self/oom_score_adj' or return;
  print $file $OUT_OF_MEMORY_SCORE;
}

sub children {
  open my $file, '<', "/proc/$$/task/$$/children" or return ();
  return split ' ', <$file> // '';
}

sub descendants {
  my %children;
  for my $path (glob '/proc/[0-9]*/stat') {
    open my $file, '<', $path or next;
    local $/;
    # The program's name is in parentheses and may contain any characters.
    my $stat = <$file> // next;
    push @{$children{$2}}, $1 if $stat =~ /^(\d+) .*\) \S (\d+) /s;
  }
  my @found;
  my @parents = ($$);
  while (defined(my $parent = shift @parents)) {
    push @found, @{$children{$parent} // []};
    push @parents, @{$children{$parent} // []};
  }
  return @found;
}

sub set_soft_limit {
  my ($limit, $soft) = @_;
  my $both = pack 'QQ', 0, 0;
  return if syscall($PRLIMIT, 0, $limit, 0, $both) != 0;
  my (undef, $hard) = unpack 'QQ', $both;
  $both = pack 'QQ', $soft, $hard;
  syscall $PRLIMIT, 0, $limit, $both, 0;
}
