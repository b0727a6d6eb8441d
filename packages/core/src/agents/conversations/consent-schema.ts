import * as z from "zod"

/** Consent given by an owner, as shown in the API. */
export const Consent = z
  .object({
    id: z.string(),
    kind: z
      .enum(["commands", "checks", "server", "start_files", "setup"])
      .describe(
        "`commands`: agents may run commands on this machine without asking. `checks`: checks may run project code from any session. `server`: the server of one session may run on this machine without a sandbox. `start_files`: agents' programs, or the set-up of worktrees, may start what these files name. `setup`: agents of a program may read the owner's own setup",
      ),
    repository: z.string().nullable().describe("Null for the sessions' own files, `checks`, `server` and `setup`"),
    session_id: z.string().optional().describe("The session of a `server`"),
    cli: z.string().optional().describe("The program of a `setup`"),
    given_at: z.iso.datetime(),
    digest: z
      .string()
      .optional()
      .describe(
        "For `start_files` and `setup`: digest of the files' paths and contents. The consent ends when they change",
      ),
    files: z.array(z.string()).optional().describe("For `start_files` and `setup`: first hundred files"),
  })
  .meta({ id: "Consent" })
export type Consent = z.infer<typeof Consent>
