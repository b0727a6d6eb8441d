import * as z from "zod"
import { CliId } from "../clis/clis.ts"

/** A part of a person's own setup for an agent, as shown before the person consents to it. */
export const SetupItem = z
  .object({
    kind: z.enum(["instructions", "skill", "command", "server"]),
    name: z.string(),
    path: z.string().describe("Path in the home"),
    leads_to: z.string().optional().describe("Target, if the path is a symbolic link"),
    detail: z.string().optional().describe("Command or URL of a server, and the names of its variables and headers"),
    files: z.int().describe("Number of files"),
    size_bytes: z.int(),
    sha256: z.string().describe("Hash of the content that the agent gets"),
  })
  .meta({ id: "AgentSetupItem" })
export type SetupItem = z.infer<typeof SetupItem>

/** A part that agents don't get, and the reason. */
export const SetupOmission = z.object({ path: z.string(), reason: z.string() }).meta({ id: "AgentSetupOmission" })
export type SetupOmission = z.infer<typeof SetupOmission>

/** A person's own setup for one agent's program. */
export const AgentSetupView = z
  .object({
    cli: CliId,
    title: z.string(),
    digest: z.string().describe("Hash of everything that the agent gets. A consent covers only this content"),
    state: z
      .enum(["empty", "new", "allowed", "changed"])
      .describe("`new`: without consent. `changed`: consent was given to different content, so agents get nothing"),
    items: z.array(SetupItem),
    omitted: z.array(SetupOmission),
  })
  .meta({ id: "AgentSetup" })
export type AgentSetupView = z.infer<typeof AgentSetupView>

/** Digests of the setups that an owner has consented to, by program. */
export const AllowedSetups = z.partialRecord(CliId, z.string())
export type AllowedSetups = z.infer<typeof AllowedSetups>
