import * as z from "zod"

/** A consent that an owner gave, as the API shows it. */
export const Consent = z
  .object({
    id: z.string(),
    kind: z
      .enum(["commands", "checks", "start_files"])
      .describe(
        "`commands`: agents that ask nothing run commands on this machine. `checks`: checks run what was built, of any session. `start_files`: agents' programs start what these files name",
      ),
    repository: z.string().nullable().describe("Null for the sessions' own files, and of `checks`"),
    given_at: z.iso.datetime(),
    digest: z
      .string()
      .optional()
      .describe("Of `start_files`: names their paths and contents. A change ends the consent"),
    files: z.array(z.string()).optional().describe("Of `start_files`: the first hundred"),
  })
  .meta({ id: "Consent" })
export type Consent = z.infer<typeof Consent>
