import type { PlanLimit } from "../../models/plan-limit.ts"

/** Share of a plan's tokens per minute that a single prompt may use. The rest is for the answer. */
const SHARE_OF_MINUTE = 0.75
/** Share of a model's context that a prompt may use. The rest is for the answer. */
const SHARE_OF_CONTEXT = 0.7
/** Maximum length of the next prompt, relative to a prompt that the provider refused as too long. */
const SHARE_OF_REFUSED = 0.7

/**
 * Upper bound for the ratio of counted to estimated tokens. Some providers count more than the prompt, such as the
 * pages of a web search.
 */
const MAX_RATIO = 2

/** Known limits of one model. The first two are in tokens as counted by the provider. */
interface Known {
  maxOfPlan: number
  maxOfContext: number
  maxEstimated: number
  countedPerEstimated: number
  /** Number of times that the model's server was asked for the context size. */
  contextQuestions: number
}

const nothingKnown: Known = {
  maxOfPlan: Number.POSITIVE_INFINITY,
  maxOfContext: Number.POSITIVE_INFINITY,
  maxEstimated: Number.POSITIVE_INFINITY,
  countedPerEstimated: 1,
  contextQuestions: 0,
}

const MAX_CONTEXT_QUESTIONS = 5

/** Limits on the length of prompts, learned from a provider's responses. Shared by all calls of a run. */
export type PromptLimits = ReturnType<typeof createPromptLimits>

/**
 * Creates the limits for a run. Initially, no limit is known. Tokens are estimated, except when counted by the
 * provider.
 */
export function createPromptLimits() {
  const models = new Map<string, Known>()
  const known = (model: string): Known => models.get(model) ?? nothingKnown

  return {
    /** Returns the maximum length of a prompt for a model, in estimated tokens. Infinite if no limit is known. */
    maxTokens(model: string): number {
      const { maxOfPlan, maxOfContext, maxEstimated, countedPerEstimated } = known(model)
      return Math.floor(Math.min(maxEstimated, Math.min(maxOfPlan, maxOfContext) / countedPerEstimated))
    },
    /** Records the limit of the account's plan if it is a limit per minute. */
    addPlanLimit(model: string, { tokens, per }: PlanLimit): void {
      if (per === "minute") models.set(model, { ...known(model), maxOfPlan: tokens * SHARE_OF_MINUTE })
    },
    /**
     * Returns true if the server should be asked for a model's context size, and counts the question. The server is
     * asked up to `MAX_CONTEXT_QUESTIONS` times, because it may not have loaded the model yet.
     */
    takeContextQuestion(model: string): boolean {
      const { maxOfContext, contextQuestions } = known(model)
      if (Number.isFinite(maxOfContext) || contextQuestions === MAX_CONTEXT_QUESTIONS) return false
      models.set(model, { ...known(model), contextQuestions: contextQuestions + 1 })
      return true
    },
    /** Records the model's context size. */
    addContext(model: string, tokens: number): void {
      models.set(model, { ...known(model), maxOfContext: tokens * SHARE_OF_CONTEXT })
    },
    /** Records the number of tokens that the provider counted for a prompt. */
    addCount(model: string, estimated: number, counted: number): void {
      if (counted <= 0 || estimated <= 0) return
      const before = models.get(model)?.countedPerEstimated ?? 0
      models.set(model, {
        ...known(model),
        countedPerEstimated: Math.max(before, Math.min(MAX_RATIO, counted / estimated)),
      })
    },
    /** Records that a prompt was too long. */
    addRefused(model: string, estimated: number): void {
      const { maxEstimated } = known(model)
      const shorter = Math.min(maxEstimated, estimated * SHARE_OF_REFUSED)
      models.set(model, { ...known(model), maxEstimated: shorter })
    },
  }
}
