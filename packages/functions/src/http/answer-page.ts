import { createHash } from "node:crypto"
import { ruleText } from "@switchyard/core/agents/permissions/rule-text"
import type { Answer, QuestionContent } from "@switchyard/core/agents/questions/schema"
import { showBidiControls } from "@switchyard/core/text/bidi-controls"
import { questionTitle } from "@switchyard/core/work/headlines/question-title"
import { html, raw } from "hono/html"

type Html = ReturnType<typeof html>

const STYLE = `
:root { color-scheme: light dark; font: 100%/1.5 system-ui, sans-serif }
body { max-width: 40rem; margin: 0 auto; padding: 1.5rem 1rem 4rem }
h1 { font-size: 1.25rem; overflow-wrap: anywhere }
pre { overflow: auto; max-height: 50vh; padding: .75rem; border: 1px solid #8886; border-radius: .5rem; font-size: .875rem }
button { display: block; width: 100%; min-height: 3rem; margin: .75rem 0; font: inherit; border: 1px solid #8888; border-radius: .5rem }
label { display: block; padding: .5rem 0 }
textarea { box-sizing: border-box; width: 100%; min-height: 4rem; font: inherit }
fieldset { border: 1px solid #8886; border-radius: .5rem; margin: 1rem 0 }
small { opacity: .8 }
`

const STYLE_HASH = createHash("sha256").update(STYLE).digest("base64")

/**
 * Headers of the page. It runs no scripts, loads nothing, and can't be framed by other pages. The page's URL is a
 * secret, so browsers must not send it to other origins as the referrer. They do send it to this server, which refuses
 * forms that don't have an origin.
 */
export const ANSWER_PAGE_HEADERS = {
  "Content-Security-Policy": `default-src 'none'; style-src 'sha256-${STYLE_HASH}'; form-action 'self'; base-uri 'none'; frame-ancestors 'none'`,
  "Referrer-Policy": "same-origin",
  "X-Robots-Tag": "noindex",
}

/** Renders the page for answering a question. */
export function questionPage(question: QuestionContent, { session }: { session: string }): Html {
  const title = questionTitle(question)
  return page(
    title,
    html`<p><small>An agent of ${session} asks:</small></p>
<h1>${title}</h1>
${detailsOf(question)}
<form method="post">
${fieldsOf(question)}
</form>`,
  )
}

/** Renders the page that is shown once the question is answered, or if it no longer needs an answer. */
export function noticePage(title: string, text = ""): Html {
  return page(title, html`<h1>${title}</h1><p>${text}</p>`)
}

function page(title: string, body: Html) {
  return html`<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>${title}</title>
<style>${raw(STYLE)}</style>
</head>
<body>
${body}
</body>
</html>`
}

function detailsOf(question: QuestionContent): Html | string {
  if (question.kind === "choice" || question.kind === "text") return ""
  if (question.kind === "plan") return html`<pre>${question.plan}</pre>`
  const { command, diff, args, paths } = question
  const text = [command, paths?.join("\n"), diff ?? args].filter(Boolean).join("\n\n")
  return text === "" ? "" : html`<pre>${showBidiControls(text)}</pre>`
}

function fieldsOf(question: QuestionContent): Html {
  if (question.kind === "text") {
    return html`<label>Your answer <textarea name="text" maxlength="4000"></textarea></label>
<button name="choice" value="allow">Answer</button>
<button name="choice" value="deny">Let the agent decide</button>`
  }
  const isChoice = question.kind === "choice"
  return html`${isChoice ? choiceFields(question) : permissionButtons(question)}
<label>What should it do instead? <textarea name="text" maxlength="4000"></textarea></label>
<button name="choice" value="deny">${isChoice ? "None of these" : "Deny"}</button>`
}

function permissionButtons(question: Extract<QuestionContent, { kind: "permission" | "plan" }>): Html[] {
  const isEdit = question.kind === "permission" && ["write", "edit"].includes(question.tool)
  const rule = question.kind === "permission" ? question.rule : undefined
  const more: [Answer["choice"], string][] =
    question.kind === "plan" || isEdit
      ? [["allow_all", "Allow, and all edits from now on"]]
      : rule
        ? [["allow_session", `Allow in this session ${ruleText(rule)}`]]
        : []
  return [["allow", "Allow"] as const, ...more].map(
    ([value, label]) => html`<button name="choice" value="${value}">${label}</button>`,
  )
}

function choiceFields({ questions }: Extract<QuestionContent, { kind: "choice" }>): Html[] {
  const fields = questions.map(({ question, options, multi }, at) => {
    const type = multi ? "checkbox" : "radio"
    return html`<fieldset><legend>${question}</legend>
${options.map(
  ({ label, description }) =>
    html`<label><input type="${type}" name="answer_${String(at)}" value="${label}"> ${label} <small>${description}</small></label>`,
)}</fieldset>`
  })
  return [...fields, html`<button name="choice" value="allow">Answer</button>`]
}
