import * as z from "zod"

const Text = z
  .string()
  .max(1000)
  .regex(/^[^\0]*$/)

const PLACEHOLDERS = ["{prompt}", "{prompt_file}", "{model}"]

/** A program and its arguments. A placeholder is an argument of its own, so a shell never parses its value. */
const Command = z
  .array(
    Text.refine(
      (text) => PLACEHOLDERS.includes(text) || !PLACEHOLDERS.some((part) => text.includes(part)),
      "A placeholder must be a whole argument.",
    ),
  )
  .min(1)
  .max(50)
  .refine(
    ([program = ""]) => /^(?:\/|[\w+-])[\w.+/-]*$/.test(program) && (program.startsWith("/") || !program.includes("/")),
    "The program must be a name on the PATH or an absolute path.",
  )

const Variable = z.string().regex(/^[A-Z][A-Z0-9_]{0,99}$/, "It must be the name of an environment variable.")

/** Variables that lead to the agent's home, its programs and its network. */
const OWN_VARIABLES = new Set(["PATH", "HOME", "TMPDIR", "HTTP_PROXY", "HTTPS_PROXY", "NO_PROXY", "ALL_PROXY"])

const FreeVariable = Variable.refine((name) => !OWN_VARIABLES.has(name), "Switchyard sets this variable itself.")

const FileName = z.string().regex(/^(?!\.{1,2}$)[\w.*-]{1,100}$/, "It must be the name of a file or folder.")

const common = {
  model: z.array(Text).max(10).optional().describe("Arguments to add if a model is chosen; `{model}` is its name"),
  hosts: z
    .array(z.string().regex(/^(?:\*\.)?[a-z0-9-]+(?:\.[a-z0-9-]+)+(?::\d{1,5})?$/, "It must be the name of a host."))
    .max(50)
    .default([])
    .describe("Hosts that the program contacts"),
  key: FreeVariable.optional().describe(
    "Environment variable that passes an account's key to the program, if it needs one",
  ),
  env: z.record(FreeVariable, Text).default({}).describe("Other environment variables"),
  start_files: z
    .array(FileName)
    .max(50)
    .default([])
    .describe("Project files that make it start programs, besides those of the built-in agents"),
}

const AcpAgent = z.strictObject({
  acp: Command.describe("Command that speaks the Agent Client Protocol on its stdin and stdout"),
  modes: z
    .strictObject({
      ask: z
        .string()
        .min(1)
        .max(200)
        .nullable()
        .optional()
        .describe("Mode in which it asks. Null if it has no modes and always asks"),
      bypass: z.string().min(1).max(200).optional().describe("Mode in which it never asks"),
    })
    .default({}),
  sessions: z
    .string()
    .regex(/^(?!\.{1,2}(?:\/|$))[\w.-]+(?:\/(?!\.{1,2}(?:\/|$))[\w.-]+)*$/, "It must be a folder in the agent's home.")
    .max(200)
    .optional()
    .describe("Folder of its sessions, relative to its home"),
  ...common,
})

const CommandAgent = z.strictObject({
  command: Command.describe(
    "Command that works in a terminal. Without `{prompt}` or `{prompt_file}`, the prompt is typed",
  ),
  resume: Command.optional().describe("Command for later tasks, if it differs"),
  silence_seconds: z
    .number()
    .min(1)
    .max(3600)
    .optional()
    .describe("Seconds without output that end a turn. By default, a turn ends when the command exits"),
  limits: z
    .array(z.string().trim().min(3).max(200))
    .max(50)
    .default([])
    .describe("Texts in the last output that report a limit. Case doesn't matter"),
  ...common,
})

/** Settings of a program that the operator added. */
export const AddedAgent = z.union([AcpAgent, CommandAgent])
export type AddedAgent = z.infer<typeof AddedAgent>
export type AcpAgent = z.infer<typeof AcpAgent>
export type CommandAgent = z.infer<typeof CommandAgent>

/** Returns the schema for these settings, so that errors name the wrong field instead of both kinds. */
export function schemaOf(settings: unknown): z.ZodType<AddedAgent> {
  const isCommand = typeof settings === "object" && settings !== null && "command" in settings
  return isCommand ? CommandAgent : AcpAgent
}
