/** Version of the server and of the command. A test compares it with the versions in the package files. */
export const RELEASE = "0.1.0"

/** Header with the release of the sender. The command sends it with each request, the server with each response. */
export const RELEASE_HEADER = "X-Switchyard-Release"

/**
 * True if a command and a server of these releases understand each other: they have the same major version or, before
 * 1.0, the same minor version. False if either isn't a version.
 */
export function worksWith(release: string, other: string): boolean {
  const line = lineOf(release)
  return line !== undefined && line === lineOf(other)
}

/** Returns the part of a version that stays the same as long as releases understand each other. */
function lineOf(release: string): string | undefined {
  const [, major, minor] = /^(\d{1,9})\.(\d{1,9})\.\d{1,9}(?:[-+][\w.+-]{1,100})?$/.exec(release) ?? []
  return major === "0" ? `0.${minor}` : major
}
