import { clip } from "../clis/tool-kinds.ts"
import { answeredText } from "../questions/answer-text.ts"
import type { Answer, QuestionContent } from "../questions/schema.ts"
import { EXAMPLE_PROGRESS } from "./progress.ts"
import { EXAMPLE_SUMMARY } from "./summary.ts"

/** The part of an agent's prompt that is about the project, beside its task. */
export interface ProjectNotes {
  /** Absolute paths of the project's files with instructions for agents. Named, never repeated: they are on the disk. */
  documents: string[]
  /** Commands that check the work, as far as they are known. */
  checks: string[]
  /** Absolute paths of images that came with the task. */
  screenshots: string[]
}

/** A question that an agent was stopped with, and its answer. */
export interface AnsweredQuestion {
  question: QuestionContent
  answer: Answer
}

const LAST_OUTPUT_CHARS = 6000

/** The first prompt of a task, the same for every agent. */
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

/** For a turn that ended without its summary. In the agent's own session only what is missing needs to be said. */
export function continuationPrompt(task: string, lastOutput: string, resumed: boolean): string {
  const before = `# Where you stopped\n\nThis is the end of what you said last:\n\n${clipHead(lastOutput.trim(), LAST_OUTPUT_CHARS)}`
  return parts([
    resumed ? "Your turn ended before the task was done." : `# Task\n\n${task.trim()}`,
    resumed || !lastOutput.trim() ? "" : before,
    "Go on from what is on the disk and finish the task. Write no more progress notes.",
    summaryPart,
  ])
}

/** For an agent that was stopped while it waited for an answer, which has come. Only a task ends with a summary. */
export function answeredPrompt(
  task: string,
  { question, answer }: AnsweredQuestion,
  { resumed, isConversation }: { resumed: boolean; isConversation: boolean },
): string {
  return parts([
    resumed ? "" : `# Task\n\n${task.trim()}`,
    `# The answer to your question\n\n${answeredText(question, answer)}`,
    isConversation ? "Go on from what is on the disk." : "Go on from what is on the disk and finish the task.",
    isConversation ? "" : summaryPart,
  ])
}

/**
 * For a turn that a runner began and did not end. How far the agent got, or whether it was told anything at all, nobody
 * knows, so it is told everything again.
 */
export function interruptedPrompt(task: string, isAnswer: boolean): string {
  return parts([
    "Your turn was interrupted before you were done. This is what you were asked; you may have done a part of it already:",
    `# Task\n\n${task.trim()}`,
    "Look at what is on the disk, go on from there, and do nothing twice. Write no more progress notes.",
    isAnswer ? "" : summaryPart,
  ])
}

/** For an agent that went in circles. One that begins anew knows nothing of the work, and so not of the circle either. */
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
  return parts([way, "What was done before is on the disk: look at it first.", codingPrompt(task, notes)])
}

/** For an agent that takes over a task from one that met a limit. The files are the truth, the rest helps to find the way. */
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

Another agent began this task here and could not go on, for a reason that has nothing to do with the task. Its work is on the disk, in this folder.

${soFar}

Look at the files and at \`git status\` first: they are the truth, and nothing of the work may be lost. Keep what is good, do nothing twice, and
finish the task. Do not commit, stage, or switch branches: that is done for you.`,
    isConversation ? "" : progressPart,
    isConversation ? "" : summaryPart,
  ])
}

/** Messages of a conversation. Only an agent's first turn has to be told the rules. */
export function answerPrompt(text: string, notes: ProjectNotes, resumed: boolean): string {
  const said = [text.trim(), screenshotsPart(notes)]
  return parts(resumed ? said : [documentsPart(notes), checksPart(notes), rulesPart, ...said])
}

/** A later task in the same project. A session that is resumed knows the rules already. */
export function followUpPrompt(task: string, notes: ProjectNotes, resumed: boolean): string {
  return resumed
    ? parts([task.trim(), screenshotsPart(notes), "The same rules hold as before.", summaryPart])
    : codingPrompt(task, notes)
}

const rulesPart = "Do not commit, stage, or switch branches: that is done for you."

// Markdown, never JSON: a lone object at the end of a message looks like an answer, and models stop after one.
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

function documentsPart({ documents }: ProjectNotes): string {
  if (documents.length === 0) return ""
  return `# Read first\n\nThe project has instructions for you. Read them from the disk:\n\n${list(documents)}`
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
