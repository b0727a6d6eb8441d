import { accessSync, constants, statSync } from "node:fs"
import { delimiter, isAbsolute, join } from "node:path"

/** Programs on this machine that can serve as models. */
export interface Programs {
  /** Returns the path of a program, or undefined if it isn't installed. */
  locate(file: string): string | undefined
  /** Complete environment of the programs. */
  env: Record<string, string>
}

/**
 * Environment variables passed to programs: this user's home, login, language and proxies. Omits API keys, because
 * Claude Code would use a key instead of its login.
 */
const PASSED =
  /^(PATH|HOME|USER|LOGNAME|SHELL|TMPDIR|TZ|LANG|LC_\w+|XDG_\w+|(https?|no)_proxy|SSL_CERT_FILE|NODE_EXTRA_CA_CERTS|CLAUDE_CONFIG_DIR|CLAUDE_CODE_OAUTH_TOKEN)$/i

/**
 * Returns the programs on the PATH of an environment. Searches the PATH on each call, so that newly installed programs
 * are found.
 */
export function programsIn(env: Record<string, string | undefined>): Programs {
  const folders = (env.PATH ?? "").split(delimiter).filter(isAbsolute)
  return {
    locate: (file) => folders.map((folder) => join(folder, file)).find(isProgram),
    env: Object.fromEntries(
      Object.entries(env).flatMap(([name, value]) => (value !== undefined && PASSED.test(name) ? [[name, value]] : [])),
    ),
  }
}

function isProgram(file: string): boolean {
  try {
    accessSync(file, constants.X_OK)
    return statSync(file).isFile()
  } catch {
    return false
  }
}
