import { StoredRepositoriesSettings } from "@switchyard/core/people/settings/repository-settings-schema"
import { useState } from "react"
import { startAgent } from "../../session/actions/start-agent.ts"
import { useResponse } from "../../session/context/requests.ts"
import { paths } from "../../session/context/routes.ts"
import { useStudio } from "../../session/context/studio.ts"
import { type Choices, type Mode, readChoices, saveChoices } from "../../session/preferences/new-session-choices.ts"
import { useFields } from "../../ui/field.tsx"
import { blankBudget, budgetIn, requestedBudget } from "../usage/budget-form.ts"
import { refusalOf } from "./agent-refusal.ts"
import { useAgents } from "./use-agents.ts"
import { useBegin } from "./use-begin.ts"
import type { useDraft } from "./use-draft.ts"
import { useLastRepository } from "./use-last-repository.ts"

const blank = { branch: "", resumesLatest: false, verify: "", reviewer: "", budget: blankBudget }

/** Returns the state of the agent form: the task, the choices (by default the last ones), and the refusal. */
export function useAgentTask(draft: ReturnType<typeof useDraft>) {
  const { api } = useStudio()
  const agents = useAgents()
  const [last, remember] = useLastRepository()
  const [chosen, setChosen] = useState<Choices & { repository?: string }>(() => readChoices(localStorage))
  const { form, field } = useFields(blank)
  const { branch, resumesLatest, verify, reviewer, budget } = form
  // Agent chosen for this task. It takes precedence over the repository's, which takes precedence over the last task's.
  const [named, setNamed] = useState<string | null>(null)
  const { mode = "ask", repository: typed = last } = chosen
  const preferred = usePreferredAgent(typed)
  // By default, never pick an agent that can't start, or one that only pretends to work.
  const able = agents.agents.find(({ key }) => key === "account" || key === "server")
  const find = (name: string | null | undefined) => agents.agents.find((one) => one.name === name)
  const agent = (find(named) ?? find(preferred) ?? find(chosen.agent) ?? able)?.name ?? ""
  const repository = typed.trim()
  const { run, busy, failure, forgive } = useBegin(draft, async (consent: boolean) => {
    const session = await startAgent(api, {
      task: draft.text,
      sessionId: null,
      agent,
      repository: repository || null,
      mode,
      consent,
      verify: verify === "" ? undefined : verify === "yes",
      // Naming a reviewer implies verification.
      reviewer: verify === "no" || reviewer === "" ? undefined : reviewer,
      budget: requestedBudget(budget),
      branch: (repository && branch.trim()) || undefined,
      resumesLatest: repository !== "" && resumesLatest,
    })
    saveChoices(localStorage, { agent, mode })
    remember(repository)
    return paths.agent(session)
  })
  const blocked = busy || draft.text.trim() === "" || agent === "" || "faults" in budgetIn(budget)

  const choose = (change: { repository: string } | { mode: Mode }) => {
    setChosen({ ...chosen, ...change })
    // A refusal of the previous choice doesn't apply to this one.
    forgive()
  }

  const start = (consent: boolean) => !blocked && run(consent)

  return {
    agents,
    agent,
    setAgent: (name: string) => {
      setNamed(name)
      forgive()
    },
    repository: typed,
    setRepository: (repository: string) => choose({ repository }),
    verify,
    field,
    mode,
    setMode: (mode: Mode) => choose({ mode }),
    busy,
    blocked,
    refusal: failure === null ? null : refusalOf(failure, repository),
    start,
  }
}

/** Returns the agent preferred by a repository's settings; undefined if they don't name one. */
function usePreferredAgent(repository: string): string | undefined {
  const settings = useResponse(["repositories"], "GET /api/v1/config/repositories", {
    response: StoredRepositoriesSettings,
  })
  const named = plain(repository)
  if (named === "") return undefined
  const found = settings.data?.repositories.findLast((one) => plain(one.repository) === named)
  return found?.preferred_coding_agent ?? undefined
}

function plain(repository: string): string {
  return repository.trim().replace(/(?<=.)\/$/, "")
}
