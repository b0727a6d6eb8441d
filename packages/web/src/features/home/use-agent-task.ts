import { useState } from "react"
import { useLocation } from "wouter"
import { startAgent } from "../../session/actions/start-agent.ts"
import { paths } from "../../session/context/routes.ts"
import { useStudio } from "../../session/context/studio.ts"
import { useSessionsChanged } from "../../session/list/use-sessions.ts"
import { blankBudget, budgetIn, requestedBudget } from "../usage/budget-form.ts"
import { type Refusal, refusalOf } from "./agent-refusal.ts"
import { type Choices, type Mode, readChoices, saveChoices } from "./choices.ts"
import { useAgents } from "./use-agents.ts"
import type { useDraft } from "./use-draft.ts"
import { useLastRepository } from "./use-last-repository.ts"
import { usePreferredAgent } from "./use-preferred-agent.ts"

/** The state of the agent form: the task, the choices (by default the last ones), and the refusal. */
export function useAgentTask(draft: ReturnType<typeof useDraft>) {
  const { api } = useStudio()
  const [, go] = useLocation()
  const changed = useSessionsChanged()
  const agents = useAgents()
  const [last, remember] = useLastRepository()
  const [chosen, setChosen] = useState<Choices & { repository?: string }>(() => readChoices(localStorage))
  const [branch, setBranch] = useState("")
  const [resumesLatest, setResumesLatest] = useState(false)
  const [verify, setVerify] = useState("")
  const [reviewer, setReviewer] = useState("")
  const [budget, setBudget] = useState(blankBudget)
  const [busy, setBusy] = useState(false)
  const [refusal, setRefusal] = useState<Refusal | null>(null)
  // One that was chosen for this task counts more than the repository's, and that more than the last task's.
  const [named, setNamed] = useState<string | null>(null)
  const { mode = "ask", repository: typed = last } = chosen
  const preferred = usePreferredAgent(typed)
  // Nobody is given an agent that can't begin, or that only pretends to work.
  const able = agents.agents.find(({ key }) => key === "account" || key === "server")
  const find = (name: string | null | undefined) => agents.agents.find((one) => one.name === name)
  const agent = (find(named) ?? find(preferred) ?? find(chosen.agent) ?? able)?.name ?? ""
  const blocked = busy || draft.text.trim() === "" || agent === "" || "faults" in budgetIn(budget)

  const choose = (change: { repository: string } | { mode: Mode }) => {
    setChosen({ ...chosen, ...change })
    // A refusal of the previous choice doesn't apply to this one.
    setRefusal(null)
  }

  async function start(consent: boolean): Promise<void> {
    if (blocked) return
    setBusy(true)
    setRefusal(null)
    const repository = typed.trim()
    try {
      const begins = {
        branch: (repository && branch.trim()) || undefined,
        resumesLatest: repository !== "" && resumesLatest,
      }
      const request = {
        task: draft.text,
        sessionId: null,
        agent,
        repository: repository || null,
        mode,
        consent,
        verify: verify === "" ? undefined : verify === "yes",
        // Who names a reviewer has the task verified.
        reviewer: verify === "no" || reviewer === "" ? undefined : reviewer,
        budget: requestedBudget(budget),
        ...begins,
      }
      const session = await startAgent(api, request)
      saveChoices(localStorage, { agent, mode })
      remember(repository)
      draft.forget()
      changed()
      go(paths.agent(session))
    } catch (failure) {
      setRefusal(refusalOf(failure, repository))
      setBusy(false)
    }
  }

  return {
    agents,
    agent,
    setAgent: (name: string) => {
      setNamed(name)
      setRefusal(null)
    },
    repository: typed,
    setRepository: (repository: string) => choose({ repository }),
    branch,
    setBranch,
    resumesLatest,
    setResumesLatest,
    verify,
    setVerify,
    reviewer,
    setReviewer,
    budget,
    setBudget,
    mode,
    setMode: (mode: Mode) => choose({ mode }),
    busy,
    blocked,
    refusal,
    start,
  }
}
