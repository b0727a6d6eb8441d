import { AppError } from "../../errors.ts"
import { parseRemote, type Remote } from "../../files/worktrees/remote.ts"
import type { CliId } from "../clis/clis.ts"
import type { AgentInput } from "../conversations/schema.ts"
import type { AgentFields } from "./schema.ts"

/** Program and account that work on a task. */
export interface ChosenAgent {
  cli: CliId
  /** Name of the account, or null for credentials from the server's environment. */
  account: string | null
  model: string | null
  reasoning: string | null
  /** True if the account uses its agent's own login instead of a key. Such a login is personal. */
  hasLogin: boolean
}

/** Returns the input of an agent run. */
export function agentInput(
  task: string,
  asked: AgentFields,
  { cli, account, model, reasoning }: ChosenAgent,
  repository: string | null,
): AgentInput {
  const prompt = asked.override_prompt?.replaceAll("{task}", () => task)
  return {
    task,
    ...(prompt?.trim() && { prompt }),
    ...{ cli, account, repository },
    model: asked.coding_model ?? model,
    reasoning: asked.coding_reasoning ?? reasoning,
    ...(asked.mode && { mode: asked.mode }),
    ...(asked.base_branch !== undefined && { base_branch: asked.base_branch }),
    ...(asked.branch !== undefined && { branch: asked.branch }),
    ...(asked.resume_session !== undefined && { resume_session: asked.resume_session }),
    terminal: { rows: asked.terminal_rows, cols: asked.terminal_cols },
  }
}

/** Returns the name of a run's model, as `provider/model`. */
export function agentModel({ cli, model }: AgentInput): string {
  return `${cli}/${model ?? "default"}`
}

/**
 * Returns the repository in a request, with the credentials separated from its URL. Throws `task_invalid` if the
 * repository is invalid or not allowed on this server.
 */
export function namedRepository(text: string, { local }: { local: boolean }): Remote {
  try {
    return parseRemote(text, { local })
  } catch (error) {
    if (!(error instanceof AppError)) throw error
    throw new AppError("task_invalid", error.message, error.details, { cause: error })
  }
}
