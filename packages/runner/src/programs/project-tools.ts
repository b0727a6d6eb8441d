import { delimiter, normalize } from "node:path"
import { ToolVersion } from "@switchyard/core/files/worktrees/repository-setup-schema"
import * as z from "zod"

/** Languages and runtimes that were installed for a project. Its programs can't change them. */
export const ProjectTools = z.object({
  /** Folder that contains all of them. */
  folder: z.string(),
  /** Folders with the tools' programs, which precede the machine's own on the search path. */
  path: z.array(z.string()),
  /** Variables that the tools need, such as `JAVA_HOME`. */
  variables: z.record(z.string(), z.string()),
})
export type ProjectTools = z.infer<typeof ProjectTools>

/**
 * Variables that contain a folder of a tool. Other variables are skipped, because they name folders where tools would
 * install packages.
 */
const FOLDERS = ["JAVA_HOME", "GOROOT", "RUSTUP_HOME"]

/** Reads the tools from the environment that mise printed. Skips everything outside the tools' folder. */
export function toolsIn(folder: string, environment: Record<string, string>): ProjectTools {
  const isInside = (path: string) => path.startsWith(`${folder}/`) && normalize(path) === path
  const folders = Object.entries(environment).filter(([name, value]) => FOLDERS.includes(name) && isInside(value))
  // Without this variable, rustup would look for its default toolchain in the home of the program's user.
  const toolchain = ToolVersion.safeParse(environment.RUSTUP_TOOLCHAIN)
  return {
    folder,
    path: (environment.PATH ?? "").split(delimiter).filter(isInside),
    variables: { ...Object.fromEntries(folders), ...(toolchain.success && { RUSTUP_TOOLCHAIN: toolchain.data }) },
  }
}
