# Starts programs for a larger process. A fork copies the page tables of its process, so it takes ten times as long in a
# Node process of 300 MB as in this one. Each request names a program. A child of this process connects the program's
# streams to the requester's socket, starts the program, and reports its exit.
#
# Arguments: the folder with the socket, which is removed at the end; the system call number of prctl, or 0.
use strict;
use warnings;
# Included in Debian's `perl-base`.
use POSIX ();
use Socket;

my ($FOLDER, $PRCTL) = @ARGV;
my $SET_DEATH_SIGNAL = 1;
my $ADDRESS = sockaddr_un("$FOLDER/socket");

$0 = 'sy-spawner';
$SIG{CHLD} = 'IGNORE';
syswrite STDOUT, "ready\n";
# A request consists of its length and its fields. The input ends when the requester does, even if it is killed.
while (defined(my $length = take(4))) {
  my $request = take(unpack 'N', $length) // last;
  my $child = fork;
  if (!defined $child) {
    my ($id) = unpack 'N/a*', $request;
    my $control = stream($id, 'r');
    fail($control, $!);
  } elsif ($child == 0) {
    run(unpack '(N/a*)*', $request);
    exit 0;
  }
}
unlink "$FOLDER/socket";
rmdir $FOLDER;

# Starts a program and waits for its end. This process ends when the spawner does, because programs started with
# `--die-with-parent` rely on that.
sub run {
  my ($id, $user, $group, $folder, $variables, @command) = @_;
  syscall $PRCTL, $SET_DEATH_SIGNAL, POSIX::SIGKILL, 0, 0, 0 if $PRCTL;
  $SIG{CHLD} = 'DEFAULT';
  my $control = stream($id, 'r');
  my @streams = map { stream($id, $_) } 0 .. 2;
  %ENV = map { split /=/, $_, 2 } splice @command, 0, $variables;
  my $program = fork // return fail($control, $!);
  if ($program == 0) {
    POSIX::setsid();
    POSIX::dup2(fileno $streams[$_], $_) for 0 .. 2;
    chdir $folder && become($user, $group) && exec { $command[0] } @command;
    fail($control, $!);
    POSIX::_exit(127);
  }
  close $_ for @streams;
  syswrite $control, "started $program\n";
  waitpid $program, 0;
  syswrite $control, 'ended ' . ($? >> 8) . ' ' . ($? & 127) . "\n";
}

sub become {
  my ($user, $group) = @_;
  return 1 if $user eq '';
  $) = "$group $group";
  POSIX::setgid($group);
  POSIX::setuid($user);
  return $< == $user && $> == $user && $( == $group;
}

sub fail {
  my ($control, $error) = @_;
  syswrite $control, 'failed ' . ($error + 0) . "\n";
}

sub stream {
  my ($id, $name) = @_;
  my $stream;
  socket $stream, AF_UNIX, SOCK_STREAM, 0 or exit 1;
  connect $stream, $ADDRESS or exit 1;
  syswrite $stream, "$id$name";
  return $stream;
}

sub take {
  my ($length) = @_;
  my $bytes = '';
  while (length $bytes < $length) {
    sysread(STDIN, $bytes, $length - length $bytes, length $bytes) or return undef;
  }
  return $bytes;
}
