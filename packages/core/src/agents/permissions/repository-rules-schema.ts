import * as z from "zod"
import { InnerPath } from "../../files/worktrees/setup-schema.ts"
import { PermissionRule, SessionRules } from "./schema.ts"

/** File in a repository that restricts the agents that work there. */
export const RULES_FILE = ".switchyard/permissions.yaml"

/** A path as git writes it. Otherwise, a rule for `./x` or `x/` would match nothing. */
const RulePath = InnerPath.transform((path) => path.replace(/^\.\//, "").replace(/\/$/, ""))

const Rule = PermissionRule.omit({ effect: true })
const MAX_RULES = 50

/** Rules that a repository's file contains. They are in force from the start, except those that allow. */
export const RepositoryRules = z
  .object({
    deny: z.array(Rule),
    ask: z.array(Rule),
    allow: z.array(Rule).describe("In force only after the owner's consent to the file"),
    read_only: z.array(z.string()).describe("Files and folders that no agent, chat or team may change"),
  })
  .meta({ id: "RepositoryRules" })
export type RepositoryRules = z.infer<typeof RepositoryRules>

/** Rules in a repository's file, as a runner last read them. */
export const ReadRules = z.object({
  commit: z.string().describe("Commit that the worktree was created from, which contains the file"),
  rules: RepositoryRules.nullable().describe("Null if the commit contains none, or if they can't be used"),
  fault: z.string().optional().describe("Why they can't be used. Until they are corrected, nothing may be changed"),
})
export type ReadRules = z.infer<typeof ReadRules>

/** Rules for all agents of a session: those that people set, and those in the repository's file. */
export const AllSessionRules = SessionRules.extend({
  repository: z.record(z.string(), ReadRules).describe("Rules in the repository's file, by worktree"),
}).meta({ id: "AllSessionRules" })

/** A rule in the file, whose fields are all text. An unknown field is an error, because it might restrict the rule. */
const WrittenRule = Rule.extend({
  tool: PermissionRule.shape.tool.default("any"),
  path: RulePath.optional(),
  exact: z
    .enum(["true", "false"])
    .transform((text) => text === "true")
    .optional(),
})
  .strict()
  .refine(
    ({ tool, path, command, name }) => tool !== "any" || [path, command, name].some((field) => field !== undefined),
    "It must have a `tool`, a `path`, a `command` or a `name`.",
  )
  .refine(
    (rule) => [rule.path, rule.command, rule.name].every((field) => field === undefined || field.trim() !== ""),
    "A field must not be empty.",
  )

const Written = z.array(WrittenRule).max(MAX_RULES).default([])

/** Content of a repository's file. */
export const WrittenRules = z
  .strictObject({ deny: Written, ask: Written, allow: Written, readOnly: z.array(RulePath).max(MAX_RULES).default([]) })
  .transform(({ readOnly, ...rules }): RepositoryRules => ({ ...rules, read_only: readOnly }))
