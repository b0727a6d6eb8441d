import { ownFiles } from "../files/files.ts"
import { type ConfinedPlace, programFolders } from "./confined-place.ts"
import type { Command, Confinement } from "./confinement.ts"
import type { WorktreeUser } from "./sandbox.ts"

/**
 * Builds the command that confines a program to these folders, its own files, the files on its path, and the files in
 * `needs`.
 */
export async function confineProgram(
  { confinement, user }: { confinement: Confinement; user?: WorktreeUser | undefined },
  program: Command,
  {
    path,
    needs = [],
    ...place
  }: Omit<ConfinedPlace, "readable" | "passwd"> & { path: string; needs?: string[] | undefined },
): Promise<Command> {
  const { exists } = user?.files ?? ownFiles
  const wanted = await programFolders([program.file, ...program.args, ...needs], path)
  const isThere = await Promise.all(wanted.map((each) => exists(each)))
  const readable = wanted.filter((_, index) => isThere[index])
  return confinement.confine({ ...place, readable, passwd: user?.passwd }, program)
}
