import * as z from "zod"
import { ToolKind } from "../../agents/clis/schema.ts"
import { ArtifactRef } from "../../kernel/artifact-schema.ts"
import { event } from "../../kernel/define-event.ts"
import { large } from "../../log/event.ts"
import { UsageCounts } from "../../models/schema.ts"
import { NodeName } from "../workflow/schema.ts"

/** Workflow node visit to which the event belongs. Absent in other kinds of runs. */
const maybeInNode = {
  node: NodeName.optional(),
  iteration: z.int().positive().optional(),
  namespace: z.array(z.string()).optional(),
}

/** Events with model text, and with tool calls by models and agents. */
export const harnessEvents = [
  event("model_text", "Text from a model, batched. `lengths` contains the lengths of the original pieces.", {
    ...maybeInNode,
    text: z.string(),
    lengths: z.array(z.int().positive()),
    parent_tool_call_id: z.string().optional().describe("Tool call that runs the sub-agent that wrote the text"),
  }),
  event("file_text", "Part of a file's text while a model is writing it. `workspace_committed` has the saved files.", {
    ...maybeInNode,
    path: z.string(),
    offset: z.int().nonnegative().describe("In UTF-16 code units; 0 if the text begins or starts over"),
    text: z.string(),
  }),
  event(
    "file_edit_text",
    "Part of a replacement in a file while a model is writing it. `workspace_committed` has the saved files.",
    {
      ...maybeInNode,
      path: z.string(),
      base: z.string().describe("SHA-256 of the text before the answer's edits"),
      edit: z.int().nonnegative().describe("Number of the edit; each applies to the result of the previous ones"),
      at: z.int().nonnegative().describe("Start of the replaced text, in UTF-16 code units"),
      removed: z.int().nonnegative().describe("Length of the replaced text"),
      offset: z.int().nonnegative().describe("Offset of this part in the replacement"),
      text: z.string(),
    },
  ),
  event("model_reasoning", "A model is reasoning; sent about every two seconds. The reasoning itself isn't stored.", {
    ...maybeInNode,
    chars: z.int().positive().describe("Reasoning characters in this call so far"),
  }),
  event("conversation_extended", "Messages were added to a durable conversation with a model.", {
    messages: large(z.array(z.looseObject({ role: z.enum(["user", "assistant", "tool"]) }))),
    tells: z.array(z.int()).optional().describe("`seq` of the events reported by the messages"),
  }),
  event("model_usage", "Usage of one model call, or of one web search with a search service.", {
    ...maybeInNode,
    model: z.string().describe("`brave/web-search` or `serper/web-search` for a search service"),
    usage: UsageCounts,
    searches: z.int().positive().optional().describe("Web searches charged in addition to tokens"),
    cost_usd: z.number().optional().describe("Cost as reported by the program that served the model"),
  }),
  event("model_retried", "A model call failed and will be retried; its text so far is discarded.", {
    ...maybeInNode,
    error_type: z.string(),
    attempt: z.int().positive(),
    wait_ms: z.number(),
    reason: z.string().optional().describe("For people, if the provider named the limit"),
  }),
  event("model_replaced", "The provider of a build's model is down, so another model continues the build.", {
    ...maybeInNode,
    from_model: z.string(),
    to_model: z.string(),
    reason: z.string(),
  }),
  event("answer_rejected", "A model's answer couldn't be used; `reason` is for people.", {
    ...maybeInNode,
    path: z.string().optional().describe("File that the answer was for"),
    reason: z.string(),
  }),
  event("tool_call_started", "A model or an agent called a tool.", {
    ...maybeInNode,
    tool_call_id: z.string(),
    tool: ToolKind,
    name: z.string().optional().describe("The agent's own name for the tool"),
    path: z.string().optional(),
    file_bytes: z.number().optional(),
    sha256: z.string().optional(),
    command: z.string().optional(),
    server: z.string().optional().describe("The MCP server"),
    args: z.string().optional().describe("JSON, truncated"),
    diff: z.string().optional().describe("Change to the file, truncated: lines starting with - and +"),
    parent_tool_call_id: z.string().optional().describe("Tool call that runs the sub-agent making this call"),
  }),
  event("tool_call_finished", "The tool call ended.", {
    ...maybeInNode,
    tool_call_id: z.string(),
    exit_code: z.number().nullable(),
    duration_ms: z.number(),
    llm_summary: z.string(),
    stdout_ref: ArtifactRef.optional().describe("Complete output, if `llm_summary` only has the beginning"),
    after_sha256: z.string().optional().describe("SHA-256 of the written file at the time of this event"),
  }),
] as const
