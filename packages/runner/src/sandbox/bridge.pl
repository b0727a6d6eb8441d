# Starts a program in a sandbox that has no network but routes out of it: connections to a loopback port are forwarded to
# the socket in the folder that is named after the port. Arguments: the folder, the comma-separated ports, and the program.
use strict;
use warnings;
# Debian's `perl-base` includes these modules.
use IO::Select;
use IO::Socket::INET;
use IO::Socket::UNIX;
use POSIX ();

my ($FOLDER, $PORTS) = splice @ARGV, 0, 2;
my $CHUNK = 65_536;

my (@listeners, %port);
for (split /,/, $PORTS) {
  my $listener = IO::Socket::INET->new(LocalAddr => '127.0.0.1', LocalPort => $_, Listen => 128, ReuseAddr => 1)
    or die "Port $_ isn't available in the sandbox: $!\n";
  push @listeners, $listener;
  $port{$listener} = $_;
}

my $bridge = fork;
die "Couldn't start a process: $!\n" unless defined $bridge;
# Perl closes the program's copies of the listeners on exec.
exec { $ARGV[0] } @ARGV or exit 127 if $bridge;

# The bridge doesn't use the program's terminal or receive its signals. It ends with the sandbox.
POSIX::setsid();
open STDIN, '<', '/dev/null';
open STDOUT, '>', '/dev/null';
open STDERR, '>', '/dev/null';
$SIG{PIPE} = 'IGNORE';
$0 = 'sy-bridge';

# Per open socket: the socket at the other end, its unwritten bytes, and whether it has ended.
my (%socket, %other, %pending, %ended);
for (;;) {
  # Read only as much as can be written. A slow reader then slows down the writer.
  my @reading = grep { !$ended{$_} && $pending{$other{$_}} eq '' } values %socket;
  my @writing = grep { $pending{$_} ne '' } values %socket;
  my ($readable, $writable) =
    IO::Select->select(IO::Select->new(@listeners, @reading), @writing ? IO::Select->new(@writing) : undef);
  for (@{$readable // []}) { $port{$_} ? connect_to($_) : read_from($_) }
  for (@{$writable // []}) { write_to($_) }
}

sub connect_to {
  my ($listener) = @_;
  my $inside = $listener->accept or return;
  my $outside = IO::Socket::UNIX->new(Peer => "$FOLDER/$port{$listener}") or return;
  for ([$inside, $outside], [$outside, $inside]) {
    my ($from, $to) = @$_;
    $from->blocking(0);
    ($socket{$from}, $other{$from}, $pending{$from}, $ended{$from}) = ($from, $to, '', 0);
  }
}

sub read_from {
  my ($from) = @_;
  # It may have been closed by an error at the other end.
  return unless $socket{$from};
  my $to = $other{$from};
  my $count = sysread $from, $pending{$to}, $CHUNK;
  return write_to($to) if $count;
  return close_both($from) unless defined $count || $!{EAGAIN} || $!{EINTR};
  return unless defined $count;
  $ended{$from} = 1;
  return close_both($from) if $ended{$to};
  shutdown $to, 1;
}

sub write_to {
  my ($to) = @_;
  return unless $socket{$to};
  my $count = syswrite $to, $pending{$to};
  return close_both($to) unless defined $count || $!{EAGAIN} || $!{EINTR};
  substr $pending{$to}, 0, $count // 0, '';
}

sub close_both {
  my ($one) = @_;
  for my $each ($other{$one}, $one) {
    close $each;
    delete $_->{$each} for \(%socket, %other, %pending, %ended);
  }
}
