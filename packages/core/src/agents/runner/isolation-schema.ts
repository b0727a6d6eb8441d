import * as z from "zod"

/** Isolation of a machine's agents from its files, its processes and each other. */
export const AgentIsolation = z.object({
  user: z.enum(["server", "own"]).describe("User of the agents: the server's, or one for each agent"),
  sandbox: z.enum(["bubblewrap", "sandbox-exec"]).nullable().describe("Sandbox that agents run in, if any"),
  network: z
    .enum(["machine", "listed"])
    .describe("Network access of agents: the machine's, or only their model and listed hosts"),
  required: z.boolean().describe("True if agents are refused without a sandbox"),
})
export type AgentIsolation = z.infer<typeof AgentIsolation>
