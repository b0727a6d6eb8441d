import * as z from "zod"
import { ToolKind } from "../../agents/clis/schema.ts"
import { ArtifactRef } from "../../kernel/artifact-schema.ts"
import { event } from "../../kernel/define-event.ts"
import { large } from "../../log/event.ts"
import { UsageCounts } from "../../models/schema.ts"
import { NodeName } from "../workflow/schema.ts"

/** The visit of a workflow's node in which a model speaks or a tool is used; agents, and other kinds of runs, have none. */
const maybeInNode = {
  node: NodeName.optional(),
  iteration: z.int().positive().optional(),
  namespace: z.array(z.string()).optional(),
}

/** The words of models, and the tools that they, or an agent, use. */
export const harnessEvents = [
  event("model_text", "Text from a model, batched; `lengths` has the lengths of its original pieces.", {
    ...maybeInNode,
    text: z.string(),
    lengths: z.array(z.int().positive()),
    parent_tool_call_id: z.string().optional().describe("The call of the sub-agent that says it"),
  }),
  event(
    "file_text",
    "A part of a file's text while a model writes it. What is saved is told by `workspace_committed`.",
    {
      ...maybeInNode,
      path: z.string(),
      offset: z.int().nonnegative().describe("In UTF-16 code units; at 0 the text begins, or begins anew"),
      text: z.string(),
    },
  ),
  event(
    "file_edit_text",
    "A part of what a model puts in the place of some of a file's text. What is saved is told by `workspace_committed`.",
    {
      ...maybeInNode,
      path: z.string(),
      base: z.string().describe("sha256 of the text to which the edits of an answer apply"),
      edit: z.int().nonnegative().describe("Its number; each applies to the result of those before it"),
      at: z.int().nonnegative().describe("Where the replaced text begins, in UTF-16 code units"),
      removed: z.int().nonnegative().describe("The length of the replaced text"),
      offset: z.int().nonnegative().describe("Of this part in the replacement"),
      text: z.string(),
    },
  ),
  event("model_reasoning", "A sign that a model is thinking, about every two seconds. Thoughts are not stored.", {
    ...maybeInNode,
    chars: z.int().positive().describe("The characters of its thoughts in this call so far"),
  }),
  event("conversation_extended", "A conversation with a model that outlives its executors has more messages.", {
    messages: large(z.array(z.looseObject({ role: z.enum(["user", "assistant", "tool"]) }))),
    tells: z.array(z.int()).optional().describe("The events that the messages tell of, by their seq"),
  }),
  event("model_usage", "The usage of one model call, or of one search of the web by a service.", {
    ...maybeInNode,
    model: z.string().describe("Of a service, `brave/web-search` or `serper/web-search`"),
    usage: UsageCounts,
    searches: z.int().positive().optional().describe("Searches of the web for which a fee is taken beside the tokens"),
  }),
  event("model_retried", "A model call failed and is made again; what it had said by then counts for nothing.", {
    ...maybeInNode,
    error_type: z.string(),
    attempt: z.int().positive(),
    wait_ms: z.number(),
  }),
  event("answer_rejected", "An answer of a model couldn't be used, for a reason in words for people.", {
    ...maybeInNode,
    path: z.string().optional().describe("The file that it was about"),
    reason: z.string(),
  }),
  event("tool_call_started", "A model or an agent called a tool.", {
    ...maybeInNode,
    tool_call_id: z.string(),
    tool: ToolKind,
    name: z.string().optional().describe("What the agent itself calls the tool"),
    path: z.string().optional(),
    file_bytes: z.number().optional(),
    sha256: z.string().optional(),
    command: z.string().optional(),
    server: z.string().optional().describe("The MCP server"),
    args: z.string().optional().describe("JSON, clipped"),
    diff: z.string().optional().describe("The change to the file, clipped: lines that begin with - and +"),
    parent_tool_call_id: z.string().optional().describe("The call of the sub-agent that makes this one"),
  }),
  event("tool_call_finished", "The tool call ended.", {
    ...maybeInNode,
    tool_call_id: z.string(),
    exit_code: z.number().nullable(),
    duration_ms: z.number(),
    llm_summary: z.string(),
    stdout_ref: ArtifactRef.optional().describe("The whole output, where `llm_summary` has only its beginning"),
    after_sha256: z.string().optional().describe("The file that the tool wrote, as it was when this was logged"),
  }),
] as const
