/** Returns the message and its recipient, who may be named at its beginning. */
export function addressed(draft: string, workers: readonly { name: string }[]): { message: string; to: string } {
  const text = draft.trim()
  const begins = (name: string) => text.toLowerCase().startsWith(`@${name.toLowerCase()} `)
  const name = [...workers.map((worker) => worker.name), "all"].sort((a, b) => b.length - a.length).find(begins)
  if (name === undefined) return { message: text, to: "coordinator" }
  return { message: text.slice(name.length + 2).trim(), to: name }
}
