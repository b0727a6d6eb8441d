import { madeBy } from "./readme.ts"

/** Nodes of the plan. Each comes after its dependencies. */
export const NODES = [
  { id: "words", deps: [], file: "words.md", task: "Write the words of a page that presents the goal, in words.md." },
  { id: "look", deps: [], file: "style.css", task: "Write a calm, readable style for the page, in style.css." },
  {
    id: "page",
    deps: ["words", "look"],
    file: "index.html",
    task: "Make the page of the words and the style, in index.html.",
  },
  { id: "guide", deps: ["page"], file: "README.md", task: "Say in README.md what the page is and how to open it." },
  { id: "review", deps: ["page"], file: "review.md", task: "Write what a person should look at, in review.md." },
] as const
export type DemoNode = (typeof NODES)[number]

/** Review task for the mock program, which follows the instructions after `mock:`. */
export const taskOfMock = `Say what a person should look at.\n\nmock: ${JSON.stringify({
  ...{ files: {}, duration_ms: 1000, say: "I read the page." },
  did: "Look at index.html on a wide and on a narrow screen, and replace its words by your own.",
})}`

const MAX_GOAL_CHARS = 300

/** Returns the goal on one line, short enough for a heading. */
export function shortGoal(goal: string): string {
  return goal.replace(/\s+/g, " ").trim().slice(0, MAX_GOAL_CHARS)
}

export function fileOf({ id }: DemoNode, goal: string): string {
  return FILES[id](shortGoal(goal))
}

const FILES: Record<DemoNode["id"], (goal: string) => string> = {
  words: (goal) => `# ${goal}\n\nThis page says what the goal is. A scripted demo wrote it, so it knows no more.\n`,
  look: () => `body { margin: 4rem auto; max-width: 40rem; padding: 0 1rem; font: 1.125rem/1.6 system-ui, sans-serif; }
h1 { line-height: 1.2; }
`,
  page: (goal) => `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>${escaped(goal)}</title>
<link rel="stylesheet" href="style.css">
</head>
<body>
<h1>${escaped(goal)}</h1>
<p>This page says what the goal is. A scripted demo wrote it, so it knows no more.</p>
</body>
</html>
`,
  guide: (goal) => `# ${goal}\n\nOpen index.html in a browser. ${madeBy}\n`,
  review: () => "Look at index.html on a wide and on a narrow screen, and replace its words by your own.\n",
}

function escaped(text: string): string {
  return text.replaceAll("&", "&amp;").replaceAll("<", "&lt;").replaceAll(">", "&gt;").replaceAll('"', "&quot;")
}
