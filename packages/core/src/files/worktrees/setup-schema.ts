import * as z from "zod"

/** A relative path that stays inside its folder, and out of git's own. */
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
  .refine((text) => !text.includes("\0"), "It must be text.")

/** The preparation of a repository's new worktree, before an agent can work in it. */
export const WorktreeSetup = z
  .object({
    setup: Script.describe("A shell command to run in a new worktree before an agent begins"),
    cleanup: Script.describe("A shell command to run in a worktree before it is deleted"),
    copy: z
      .array(InnerPath)
      .max(50)
      .describe("Files and folders to copy from the repository's checkout, as `.env`: what git doesn't have"),
    link: z.array(InnerPath).max(20).describe("Folders of dependencies to link from the checkout, entry by entry"),
    cache: z
      .array(InnerPath)
      .max(20)
      .describe("Folders to keep after the set-up, and to restore while the project's lockfiles are the same"),
    ports: z.int().min(0).max(20).describe("Ports to lease for a worktree: `PORT`, and `SWITCHYARD_PORT_1` and so on"),
  })
  .meta({ id: "WorktreeSetup" })
export type WorktreeSetup = z.infer<typeof WorktreeSetup>

/** The setup of a repository for which nothing was set. */
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
