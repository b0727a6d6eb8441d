/** Error with a message that explains why npm couldn't install a package. */
export class InstallError extends Error {
  override readonly name = "InstallError"
}

/** Extracts the reason from npm's output. Errors that people can fix have a message of their own. */
export function reasonOf(said: string): string {
  // Versions up to 10 print "npm ERR!", after Node's warnings.
  const errors = said.split("\n").flatMap((line) => /^npm (?:error|ERR!) ?(.*)$/.exec(line)?.[1] ?? [])
  const code = /^code (\S+)/m.exec(errors.join("\n"))?.[1] ?? ""
  if (code === "ENOSPC" || said.includes("ENOSPC")) return "the disk is full"
  if (/^(ENOTFOUND|EAI_AGAIN|ECONN\w+|ETIMEDOUT|ENETUNREACH|EHOSTUNREACH|ERR_SOCKET_TIMEOUT)$/.test(code))
    return `npm's registry can't be reached (${code})`
  if (code === "EINTEGRITY") return "the package on npm's registry doesn't match the pinned hash (EINTEGRITY)"
  const lines = errors.length > 0 ? errors : said.split("\n")
  return `npm says: ${lines
    .map((line) => line.trim())
    .filter((line) => line !== "" && !/^code |complete log/.test(line))
    .slice(0, 3)
    .join(" ")}`
}
