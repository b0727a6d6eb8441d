import {
  answeredPrompt,
  answerPrompt,
  codingPrompt,
  followUpPrompt,
  handOffPrompt,
  interruptedPrompt,
  withEarlierWork,
} from "@switchyard/core/agents/conversations/prompt"
import type { NewEvent } from "@switchyard/core/events"
import type { AgentMessage } from "./conversation.ts"
import type { Task } from "./task.ts"

/** True for a turn in a conversation. There is no task to complete, so the turn ends when the agent stops. */
export function isAnswer({ input }: Pick<Task, "input">): boolean {
  return input.messages !== undefined
}

/** Returns the log events for the first prompt. Messages aren't included, because they are already in the log. */
export function firstWords(task: Task, prompt: string): NewEvent[] {
  if (task.interrupted || task.handedOver !== undefined || task.revision !== undefined)
    return [{ type: "user_message", content: prompt, source: "continuation" }]
  return isAnswer(task) ? [] : [{ type: "user_message", content: task.input.task, source: "task" }]
}

/** True if the program is a command without a protocol. Its prompts are only what people and checks say. */
function isCommand({ account: { added } }: Task): boolean {
  return added !== undefined && "command" in added
}

/** Returns the prompt that starts a task, or that continues it after a hand-off, an answer or an interruption. */
export function firstPrompt(task: Task, resume: string | null): string {
  const { revision, interrupted, answered, handedOver } = task
  if (isCommand(task)) return revision ?? task.input.prompt ?? task.input.task
  if (revision === undefined) return taskPrompt(task, resume)
  const knowsTask = resume !== null && !interrupted && answered === undefined && handedOver === undefined
  return knowsTask ? revision : `${taskPrompt(task, resume)}\n${revision}`
}

function taskPrompt(task: Task, resume: string | null): string {
  const { notes, followUp, interrupted, answered, handedOver } = task
  const input = { ...task.input, ...requestOf(task, resume) }
  if (handedOver !== undefined) {
    return handOffPrompt(input.task, handedOver, notes, { isConversation: isAnswer(task) })
  }
  if (answered) {
    return answeredPrompt(input.task, answered, { resumed: resume !== null, isConversation: isAnswer(task) })
  }
  if (interrupted) return interruptedPrompt(input.task, isAnswer(task))
  if (input.prompt !== undefined) return input.prompt
  if (isAnswer(task)) return answerPrompt(input.task, notes, resume !== null)
  return followUp ? followUpPrompt(input.task, notes, resume !== null) : codingPrompt(input.task, notes)
}

/** Returns the task or its custom prompt, together with earlier work that isn't in the agent's session. */
function requestOf({ input, earlierWork }: Task, resume: string | null): { task: string; prompt?: string } {
  const { task, prompt } = input
  const complete = (text: string) =>
    earlierWork === undefined ? text : withEarlierWork(text, earlierWork, { resumed: resume !== null })
  return { task: complete(task), ...(prompt !== undefined && { prompt: complete(prompt) }) }
}

/** Returns the prompt for messages that no turn has received yet. */
export function messagesPrompt(task: Task, messages: AgentMessage[], resumed: boolean): string {
  const { input, notes } = task
  const said = messages.map(({ content }) => content).join("\n\n")
  if (isCommand(task)) return said
  return followUpPrompt(resumed ? said : `${input.task}\n\n${said}`, notes, resumed)
}

/** Returns the prompt for an agent whose session no longer exists. */
export function freshPrompt(task: Task): string {
  const { task: request } = requestOf(task, null)
  if (isCommand(task)) return firstPrompt(task, null)
  if (isAnswer(task)) return answerPrompt(request, task.notes, false)
  return [codingPrompt(request, task.notes), task.revision].filter(Boolean).join("\n")
}
