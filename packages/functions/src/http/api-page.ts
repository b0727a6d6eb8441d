import { html, raw } from "hono/html"
import type { HtmlEscapedString } from "hono/utils/html"

interface Operation {
  summary?: string
  tags?: string[]
  parameters?: unknown[]
  requestBody?: unknown
  responses?: Record<string, { description?: string; content?: Record<string, { schema?: unknown }> }>
}

interface ApiDescription {
  info: { title: string; version: string }
  paths?: Record<string, unknown>
  components?: { schemas?: Record<string, unknown> }
}

/** Renders the API description as a single page without scripts or external resources. */
export function apiPage(description: ApiDescription): HtmlEscapedString | Promise<HtmlEscapedString> {
  const operations = Object.entries(description.paths ?? {}).flatMap(([path, methods]) =>
    Object.entries(methods as Record<string, Operation>).map(([method, operation]) => ({ path, method, operation })),
  )
  const tags = [...new Set(operations.map(({ operation }) => operation.tags?.[0] ?? "other"))]
  return html`<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width">
<title>${description.info.title} API</title>
<style>${raw(STYLE)}</style>
</head>
<body>
<h1>${description.info.title} API <small>${description.info.version}</small></h1>
<p>For programs: <a href="/openapi.json">/openapi.json</a>. Errors are always
<code>{"error": {"code", "message", "details"}}</code>.</p>
${tags.map(
  (tag) =>
    html`<h2>${tag}</h2>${operations
      .filter(({ operation }) => (operation.tags?.[0] ?? "other") === tag)
      .map(operationBlock)}`,
)}
<h2>Schemas</h2>
${Object.entries(description.components?.schemas ?? {}).map(
  ([name, schema]) => html`<details id="${name}"><summary><code>${name}</code></summary>${json(schema)}</details>`,
)}
</body>
</html>`
}

function operationBlock({ path, method, operation }: { path: string; method: string; operation: Operation }) {
  return html`<details>
<summary><b>${method.toUpperCase()}</b> <code>${path}</code> <span>${operation.summary ?? ""}</span></summary>
${operation.parameters?.length ? html`<h3>Parameters</h3>${json(operation.parameters)}` : ""}
${operation.requestBody ? html`<h3>Body</h3>${json(operation.requestBody)}` : ""}
<h3>Answers</h3>${json(operation.responses)}
</details>`
}

function json(value: unknown) {
  return html`<pre>${JSON.stringify(value, null, 2)}</pre>`
}

const STYLE = `
:root { color-scheme: light dark; font: 16px/1.5 system-ui, sans-serif }
body { max-width: 60rem; margin: 2rem auto; padding: 0 1rem }
h1 small { font-weight: normal; opacity: .7 }
h2 { margin: 2rem 0 .5rem; text-transform: capitalize }
h3 { margin: .75rem 0 .25rem; font-size: 1rem }
summary { cursor: pointer; padding: .35rem 0 }
summary b { display: inline-block; width: 4.5rem }
summary span { opacity: .75; margin-left: .5rem }
pre { overflow: auto; padding: .75rem; border: 1px solid #8884; border-radius: 6px; font-size: .85rem }
`
