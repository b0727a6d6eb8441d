import { useState } from "react"
import { paths } from "../../session/context/routes.ts"
import { useStudio } from "../../session/context/studio.ts"
import { useModel } from "../../session/models/use-model.ts"
import { type Choices, type Mode, readChoices, saveChoices } from "../../session/preferences/new-session-choices.ts"
import { useFields } from "../../ui/field.tsx"
import type { AttachedImage } from "../images/attached-image.ts"
import { blankBudget, budgetIn, requestedBudget } from "../usage/budget-form.ts"
import { refusalOf } from "./agent-refusal.ts"
import { type CommandForm, requestedCommands } from "./command-form.ts"
import { useAgents } from "./use-agents.ts"
import { useBegin } from "./use-begin.ts"
import type { useDraft } from "./use-draft.ts"
import { useLastRepository } from "./use-last-repository.ts"

/**
 * Returns the state of the team form: the goal, the programs that its workers may use (by default the last ones), and
 * the refusal.
 */
export function useTeamGoal(draft: ReturnType<typeof useDraft>, images: AttachedImage[]) {
  const { api } = useStudio()
  const { requested } = useModel()
  const agents = useAgents()
  const [last, remember] = useLastRepository()
  const [chosen, setChosen] = useState<Choices & { repository?: string }>(() => readChoices(localStorage))
  const { form, field } = useFields({ goesOn: false, budget: blankBudget })
  const { goesOn, budget } = form
  const [commands, setCommands] = useState<CommandForm[]>([])
  const workerCommands = requestedCommands(commands)
  const able = agents.agents.filter(({ key }) => key !== "none")
  const programs = able.map(({ name }) => name).filter((name) => chosen.programs?.includes(name))
  const { mode = "ask" } = chosen
  // By default, models create new files, and programs work in the last repository.
  const repository = chosen.repository ?? (programs.length > 0 ? last : "")
  const coordinator = able.find(({ name }) => name === chosen.coordinator)?.name ?? ""
  // Programs' changes to the session's own files couldn't be merged anywhere.
  const lacksRepository = programs.length > 0 && repository.trim() === ""
  const hasPrograms = programs.length > 0 || coordinator !== ""

  const { run, busy, failure, forgive } = useBegin(draft, async (consent: boolean) => {
    const { model, modelKey } = requested()
    const response = async () => (await import("@switchyard/core/work/teams/request-schema")).Team
    const withPrograms = { ...(coordinator && { coordinator }), permission_mode: mode, consent }
    const body = {
      ...(images.length > 0 && { images }),
      ...{ goal: draft.text, model, mode: goesOn ? ("infinite" as const) : undefined },
      budget: requestedBudget(budget),
      ...(hasPrograms && withPrograms),
      ...(commands.length > 0 && { worker_commands: workerCommands, consent }),
      ...(programs.length > 0 && { coding_agents: programs }),
      ...(repository.trim() !== "" && { project_path: repository.trim() }),
    }
    const team = await api.call("POST /api/v1/teams", { body, modelKey, response })
    saveChoices(localStorage, { programs, coordinator, ...(hasPrograms && { mode }) })
    if (repository.trim() !== "") remember(repository)
    return paths.team(team.id)
  })

  const choose = (
    change: { programs: string[] } | { coordinator: string } | { repository: string } | { mode: Mode },
  ) => {
    setChosen({ ...chosen, ...change })
    // A refusal of the previous choice doesn't apply to this one.
    forgive()
  }

  return {
    able,
    isKnown: agents.known,
    programs,
    setPrograms: (names: string[]) => choose({ programs: names }),
    coordinator,
    setCoordinator: (name: string) => choose({ coordinator: name }),
    hasPrograms,
    repository,
    setRepository: (text: string) => choose({ repository: text }),
    mode,
    setMode: (to: Mode) => choose({ mode: to }),
    field,
    commands,
    setCommands(to: CommandForm[]) {
      setCommands(to)
      forgive()
    },
    busy,
    blocked: busy || draft.text.trim() === "" || "faults" in budgetIn(budget) || lacksRepository || !workerCommands,
    refusal: failure === null ? null : refusalOf(failure, repository.trim()),
    start: (consent: boolean) => run(consent),
  }
}
