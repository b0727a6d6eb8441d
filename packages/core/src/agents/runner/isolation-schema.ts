import * as z from "zod"

/** The isolation of a machine's agents from its files, its processes and each other. */
export const AgentIsolation = z.object({
  user: z.enum(["server", "own"]).describe("Whether agents run as the server's user, or each as a user of its own"),
  sandbox: z.enum(["bubblewrap", "sandbox-exec"]).nullable().describe("The sandbox that agents run in, if any"),
  network: z
    .enum(["machine", "listed"])
    .describe("Whether agents have the machine's network, or reach only their model and listed hosts"),
  required: z.boolean().describe("Whether agents are refused without a sandbox"),
})
export type AgentIsolation = z.infer<typeof AgentIsolation>
