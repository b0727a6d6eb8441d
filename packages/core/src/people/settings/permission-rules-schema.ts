import * as z from "zod"
import { PermissionRule } from "../../agents/permissions/schema.ts"

const Rules = z.array(PermissionRule).max(100)

/** The rules on what agents of an owner may do, whatever their mode is. */
export const PermissionRules = z
  .strictObject({
    rules: Rules.describe("For all agents"),
    repositories: z
      .array(z.strictObject({ repository: z.string().trim().min(1).max(4096), rules: Rules }))
      .max(100)
      .describe("Further rules for agents in one repository, a folder or an address as a session names it"),
  })
  .meta({ id: "PermissionRules" })
export type PermissionRules = z.infer<typeof PermissionRules>

/** The rules as they are kept, with the number of times that they were changed. */
export const StoredPermissionRules = PermissionRules.extend({ version: z.int().nonnegative() }).meta({
  id: "StoredPermissionRules",
})
export type StoredPermissionRules = z.infer<typeof StoredPermissionRules>

/** All of the rules from now on. With a version, only if they still have it. */
export const PermissionRulesChange = StoredPermissionRules.partial({ version: true }).meta({
  id: "PermissionRulesChange",
})
export type PermissionRulesChange = z.infer<typeof PermissionRulesChange>
