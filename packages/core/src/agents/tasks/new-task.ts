import { AppError } from "../../errors.ts"
import { parseRemote, type Remote } from "../../files/worktrees/remote.ts"
import type { CliId } from "../clis/schema.ts"
import type { AgentInput } from "../conversations/schema.ts"
import type { AgentFields } from "./schema.ts"

/** The agent of a task: a program, and the account that it works on. */
export interface ChosenAgent {
  cli: CliId
  /** The account's name; null for credentials of the server's own environment. */
  account: string | null
  model: string | null
  reasoning: string | null
  /** Whether it works with its agent's own log-in, which is a person's, in place of a key. */
  hasLogin: boolean
}

/** The input of a run of an agent. */
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

/** As a run's model is named: `provider/model`. */
export function agentModel({ cli, model }: AgentInput): string {
  return `${cli}/${model ?? "default"}`
}

/**
 * The repository that a request names, with the credentials in its URL apart. Throws `task_invalid` for what is none, or may
 * not be named here.
 */
export function namedRepository(text: string, { local }: { local: boolean }): Remote {
  try {
    return parseRemote(text, { local })
  } catch (error) {
    if (!(error instanceof AppError)) throw error
    throw new AppError("task_invalid", error.message, error.details, { cause: error })
  }
}
