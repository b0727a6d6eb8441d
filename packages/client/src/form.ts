/** Converts a body that contains a file to a form. Returns undefined for other bodies. */
export function formOf(body: unknown): FormData | undefined {
  if (typeof body !== "object" || body === null) return undefined
  const fields = Object.entries(body)
  if (!fields.some(([, value]) => value instanceof Blob)) return undefined
  const form = new FormData()
  for (const [name, value] of fields) form.set(name, value)
  return form
}
