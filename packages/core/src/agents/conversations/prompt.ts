import { clip } from "../protocols/tool-kinds.ts"
import { answeredText } from "../questions/answer-text.ts"
import type { Answer, QuestionContent } from "../questions/schema.ts"
import { EXAMPLE_PROGRESS } from "./progress.ts"
import { EXAMPLE_SUMMARY } from "./summary.ts"

/** Part of an agent's prompt that describes the project rather than the task. */
export interface ProjectNotes {
  /**
   * Absolute paths of the project's instruction files. The prompt only contains their names, because agents can read
   * the files from disk.
   */
  documents: string[]
  /** Limitations of the worktree, such as a missing program. */
  warnings?: string[]
  checks: string[]
  /** Absolute paths of images attached to the task. */
  screenshots: string[]
}

/** Question that an agent had to stop for, and the answer. */
export interface AnsweredQuestion {
  question: QuestionContent
  answer: Answer
}

const LAST_OUTPUT_CHARS = 6000

/** Returns the first prompt of a task. All agents get the same prompt. */
export function codingPrompt(task: string, notes: ProjectNotes): string {
  return parts([
    documentsPart(notes),
    checksPart(notes),
    `# Task\n\n${task.trim()}`,
    screenshotsPart(notes),
    `# How to work

1. Look around first, for a minute at most: find the code that matters for this task.
2. Where the project has tests, write the test that fails before the change that makes it pass.
3. Make the change, and only what the task asks for.
4. Run the checks and the tests. Repair what fails, also where it failed before you came.
5. Do not commit, stage, or switch branches: that is done for you.`,
    progressPart,
    summaryPart,
  ])
}

/**
 * Returns the prompt after a turn that ended without a summary. If the agent's session is resumed, the prompt only says
 * what is missing.
 */
export function continuationPrompt(task: string, lastOutput: string, resumed: boolean): string {
  const before = `# Where you stopped\n\nThis is the end of what you said last:\n\n${clipHead(lastOutput.trim(), LAST_OUTPUT_CHARS)}`
  return parts([
    resumed ? "Your turn ended before the task was done." : `# Task\n\n${task.trim()}`,
    resumed || !lastOutput.trim() ? "" : before,
    "Continue from the files on the disk and finish the task. Write no more progress notes.",
    summaryPart,
  ])
}

/**
 * Returns the prompt that resumes an agent that was stopped to wait for an answer, once the answer has arrived. Asks
 * for a summary only if the agent is working on a task.
 */
export function answeredPrompt(
  task: string,
  { question, answer }: AnsweredQuestion,
  { resumed, isConversation }: { resumed: boolean; isConversation: boolean },
): string {
  return parts([
    resumed ? "" : `# Task\n\n${task.trim()}`,
    `# The answer to your question\n\n${answeredText(question, answer)}`,
    isConversation
      ? "Continue from the files on the disk."
      : "Continue from the files on the disk and finish the task.",
    isConversation ? "" : summaryPart,
  ])
}

/**
 * Returns the prompt after a turn that a runner started but didn't finish. Repeats the whole request, because the agent
 * may not even have received it.
 */
export function interruptedPrompt(task: string, isAnswer: boolean): string {
  return parts([
    "Your turn was interrupted before you were done. This is what you were asked; you may have done a part of it already:",
    `# Task\n\n${task.trim()}`,
    "Look at the files on the disk, continue from there, and do nothing twice. Write no more progress notes.",
    isAnswer ? "" : summaryPart,
  ])
}

const BROKEN = `The connection to your model broke during your turn. This is what you were asked; you may have done a part of it already. Look at the
files on the disk, continue from there, and do nothing twice.`

/**
 * Returns the prompt after a turn whose model failed. Repeats the whole request, because the agent may not even have
 * received it.
 */
export function brokenPrompt(prompt: string): string {
  return prompt.startsWith(BROKEN) ? prompt : parts([BROKEN, prompt.trim()])
}

/**
 * Returns the prompt for an agent that was going in circles. A fresh session knows neither the work nor the loop, so
 * the prompt describes both.
 */
export function circlePrompt(
  task: string,
  problem: string,
  notes: ProjectNotes,
  { fresh }: { fresh: boolean },
): string {
  const way = `# A way that leads nowhere

${problem} Doing it once more will show nothing new. Say what you expected of it and what is there instead, and take another way. If
there is none, stop, and say in your summary what keeps you from it, with the status "blocked".`
  if (!fresh) return parts([way, summaryPart])
  return parts([way, "Earlier work is on the disk: look at it first.", codingPrompt(task, notes)])
}

/**
 * Returns the prompt for an agent that takes over from an agent that hit a limit. It says that only the files are
 * authoritative, and that everything else is for orientation.
 */
export function handOffPrompt(
  task: string,
  soFar: string,
  notes: ProjectNotes,
  { isConversation }: { isConversation: boolean },
): string {
  return parts([
    documentsPart(notes),
    checksPart(notes),
    `# Task\n\n${task.trim()}`,
    screenshotsPart(notes),
    `# Where it stands

Another agent began this task here and could not continue, for a reason that has nothing to do with the task. Its work is on the disk, in this folder.

${soFar}

Look at the files and at \`git status\` first: they are the truth, and nothing of the work may be lost. Keep what is good, do nothing twice, and
finish the task. Do not commit, stage, or switch branches: that is done for you.`,
    isConversation ? "" : progressPart,
    isConversation ? "" : summaryPart,
  ])
}

/** Headings of the sections that summarize earlier work. */
export const EARLIER_WORK = /^# (?:Where it stands|What was done here before)$/m

/** Returns a task with a summary of earlier work that isn't part of the agent's session. */
export function withEarlierWork(task: string, soFar: string, { resumed }: { resumed: boolean }): string {
  const since = resumed ? "since your last turn, without you" : "before you came"
  return `${task.trim()}

# What was done here before

This is what happened here ${since}. The work is on the disk, in this folder.

${soFar}

Look at the files first: they are the truth. Do nothing twice.`
}

/** Returns the prompt for messages in a conversation. It contains the rules only for the agent's first turn. */
export function answerPrompt(text: string, notes: ProjectNotes, resumed: boolean): string {
  const said = [text.trim(), screenshotsPart(notes)]
  return parts(resumed ? said : [documentsPart(notes), checksPart(notes), rulesPart, ...said])
}

/** Returns the prompt for a later task in the same project. It leaves out the rules if the session is resumed. */
export function followUpPrompt(task: string, notes: ProjectNotes, resumed: boolean): string {
  return resumed
    ? parts([task.trim(), screenshotsPart(notes), "The same rules hold as before.", summaryPart])
    : codingPrompt(task, notes)
}

const rulesPart = "Do not commit, stage, or switch branches: that is done for you."

// Ask for Markdown instead of JSON. Models mistake a lone object at the end of a message for their answer, and stop
// after it.
const progressPart = `# Progress

While you work, say now and then where you are, in plain Markdown and together with your next step:

**Progress:** ${EXAMPLE_PROGRESS}
**Location:** path/to/file
**Next:** what you do now`

const summaryPart = `# When you are done

End your last message, and only that one, with this object in a fenced block of JSON:

\`\`\`json
{
  "change_summary": "${EXAMPLE_SUMMARY}",
  "files_changed": ["path/to/file"],
  "completion_status": "success | partial | blocked | error"
}
\`\`\``

function documentsPart({ documents, warnings = [] }: ProjectNotes): string {
  const read = `# Read first\n\nThe project has instructions for you. Read them from the disk:\n\n${list(documents)}`
  const limits = `# Limits of this machine\n\n${warnings.map((warning) => `- ${warning}`).join("\n")}`
  return [documents.length > 0 && read, warnings.length > 0 && limits].filter(Boolean).join("\n\n")
}

function screenshotsPart({ screenshots }: ProjectNotes): string {
  return screenshots.length === 0 ? "" : `Look at these images, which belong to this:\n\n${list(screenshots)}`
}

function checksPart({ checks }: ProjectNotes): string {
  const how =
    checks.length > 0
      ? `These commands check the work:\n\n${list(checks)}`
      : "Use the checks and tests that the project has."
  return `# Checks\n\n${how}`
}

function list(items: string[]): string {
  return items.map((item) => `- \`${item}\``).join("\n")
}

function parts(texts: string[]): string {
  return `${texts.filter(Boolean).join("\n\n")}\n`
}

function clipHead(text: string, chars: number): string {
  if (text.length <= chars) return text
  const reversed = [...text].reverse().join("")
  return [...clip(reversed, chars)].reverse().join("")
}
