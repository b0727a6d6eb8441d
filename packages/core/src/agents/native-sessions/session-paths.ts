/** Returns the folder name that Claude Code and Qwen Code use for a project's sessions. It is derived from its path. */
export function projectFolderName(path: string): string {
  return path.replaceAll(/[^A-Za-z0-9]/g, "-")
}

/** Returns the UUID in a file name. Undefined if there is none. */
export function uuidIn(name: string): string | undefined {
  return UUID.exec(name)?.[0]
}

const UUID = /[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}/
