import * as z from "zod"

/** A relative path inside its folder and outside of `.git`. */
export const InnerPath = z
  .string()
  .trim()
  .min(1)
  .max(500)
  .refine(isInner, "It must be a relative path inside the repository.")

const Script = z
  .string()
  .trim()
  .max(4000)
  .refine((text) => !text.includes("\0"), "It must not contain NUL characters.")

/** Steps that prepare a repository's new worktree before an agent works in it. */
export const WorktreeSetup = z
  .object({
    setup: Script.describe("Shell command to run in a new worktree before an agent starts"),
    cleanup: Script.describe("Shell command to run in a worktree before it is deleted"),
    copy: z
      .array(InnerPath)
      .max(50)
      .describe("Files and folders that aren't in git, such as `.env`, to copy from the repository's checkout"),
    link: z.array(InnerPath).max(20).describe("Dependency folders whose entries are linked from the checkout"),
    cache: z
      .array(InnerPath)
      .max(20)
      .describe("Folders to cache after setup, and to restore as long as the project's lockfiles are unchanged"),
    ports: z
      .int()
      .min(0)
      .max(20)
      .describe("Number of ports to reserve for a worktree, passed as `PORT`, `SWITCHYARD_PORT_1` and so on"),
  })
  .meta({ id: "WorktreeSetup" })
export type WorktreeSetup = z.infer<typeof WorktreeSetup>

/** Setup for a repository that has no settings. */
export const defaultSetup: WorktreeSetup = {
  setup: "",
  cleanup: "",
  copy: [],
  link: ["node_modules", ".venv", "venv"],
  cache: [],
  ports: 0,
}

function isInner(path: string): boolean {
  // biome-ignore lint/suspicious/noControlCharactersInRegex: those are what is refused
  if (path === "" || path.startsWith("/") || path.startsWith("~") || /[\x00-\x1f\\]/.test(path)) return false
  const segments = path.replace(/^\.\//, "").replace(/\/$/, "").split("/")
  return !segments.some((each) => each === "" || each === "." || each === ".." || each.toLowerCase() === ".git")
}
