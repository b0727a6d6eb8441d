import type { ZodError } from "zod"

/** The errors of a form by field, in the schema's words. */
export function formErrors(error: ZodError): Partial<Record<string, string>> {
  return Object.fromEntries(error.issues.map(({ path, message }) => [String(path[0]), message]))
}
