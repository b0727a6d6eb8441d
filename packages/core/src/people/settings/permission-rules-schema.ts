import * as z from "zod"
import { PermissionRule } from "../../agents/permissions/schema.ts"

const Rules = z.array(PermissionRule).max(100)

/** Rules for an owner's agents. They apply in every mode. */
export const PermissionRules = z
  .strictObject({
    rules: Rules.describe("For all agents"),
    repositories: z
      .array(z.strictObject({ repository: z.string().trim().min(1).max(4096), rules: Rules }))
      .max(100)
      .describe("Further rules for agents in one repository (a folder or URL, as in a session)"),
  })
  .meta({ id: "PermissionRules" })
export type PermissionRules = z.infer<typeof PermissionRules>

/** Stored rules, with a version that increases with every change. */
export const StoredPermissionRules = PermissionRules.extend({ version: z.int().nonnegative() }).meta({
  id: "StoredPermissionRules",
})
export type StoredPermissionRules = z.infer<typeof StoredPermissionRules>

/** Replaces all rules. If a version is given, it must be the stored version. */
export const PermissionRulesChange = StoredPermissionRules.partial({ version: true }).meta({
  id: "PermissionRulesChange",
})
export type PermissionRulesChange = z.infer<typeof PermissionRulesChange>
