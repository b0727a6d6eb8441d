import { codingPrompt } from "../../agents/conversations/prompt.ts"
import { reviewPrompt } from "../../agents/reviews/review-prompt.ts"
import { DEFAULT_ATTEMPTS } from "../../work/verification/schema.ts"
import type { ProjectSettings } from "./projects.ts"
import type { PromptPreviews } from "./prompt-previews-schema.ts"

/**
 * Returns the prompts for a project, based only on the settings that are configured. Detected settings aren't included,
 * because agents receive them together with their task.
 */
export function previewPrompts(project: Partial<ProjectSettings>): PromptPreviews {
  const { instructions_paths: documents = [], lint_command, test_command } = project
  const checks = [lint_command, test_command].flatMap((command) => command ?? [])
  const summary = { change_summary: "{summary}", files_changed: [], completion_status: "success" as const }
  const verdict = { status: "passed" as const, checks: [], workspace_version: null }
  return {
    coding: codingPrompt("{task}", { documents, checks, screenshots: [] }),
    verification: reviewPrompt({
      ...{ task: "{task}", summary, verdict, commit: "{commit}", diff: "{diff}", diffFile: "switchyard-review.diff" },
      ...{ attempt: 1, maxAttempts: DEFAULT_ATTEMPTS },
    }),
  }
}
