import * as z from "zod"

/** Isolation of agents from each other and from the machine's files and processes. */
export const AgentIsolation = z.object({
  user: z.enum(["server", "own"]).describe("User that agents run as: the server's, or a separate one for each agent"),
  sandbox: z.enum(["bubblewrap", "sandbox-exec"]).nullable().describe("Sandbox that agents run in, if any"),
  network: z
    .enum(["machine", "listed"])
    .describe("Agents' network access: the machine's, or only their model and listed hosts"),
  required: z.boolean().describe("True if agents can't run without a sandbox"),
})
export type AgentIsolation = z.infer<typeof AgentIsolation>
