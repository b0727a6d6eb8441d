import type { SessionState } from "../../state.ts"
import type { Manifest } from "./manifest.ts"

/** Folders that belong to the team itself rather than to its result. */
const TEAM_FOLDERS = /^(?:nodes|memory)\//

/** Returns true if a path in a team's session belongs to the project rather than to the team's own files. */
export function isProjectPath(path: string): boolean {
  return !TEAM_FOLDERS.test(path)
}

/** Returns the project's files in a team's session. */
export function projectOf({ files, folders }: Manifest): Manifest {
  return { files: files.filter(({ path }) => isProjectPath(path)), folders: folders.filter(isProjectPath) }
}

/**
 * Returns the files that a person receives as the session's result. For a team, these are only the project's files. If
 * a team has no result yet, all files are returned, so that nothing is hidden.
 */
export function resultOf(manifest: Manifest, { team }: Pick<SessionState, "team">): Manifest {
  if (!team || team.isInRepository) return manifest
  // The project may contain a folder with the same name as a node's.
  const isOurs = (path: string) => isProjectPath(path) || !isOfNode(path, team)
  const [files, folders] = [manifest.files.filter(({ path }) => isOurs(path)), manifest.folders.filter(isOurs)]
  return files.length === 0 || files.length === manifest.files.length ? manifest : { files, folders }
}

function isOfNode(path: string, { nodes }: NonNullable<SessionState["team"]>): boolean {
  const [folder, node = ""] = path.split("/")
  return folder === "memory" || Object.hasOwn(nodes, node)
}
