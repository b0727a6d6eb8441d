import type { ZodError } from "zod"

/** Returns a form's errors by field, as worded by the schema. */
export function formErrors(error: ZodError): Partial<Record<string, string>> {
  return Object.fromEntries(error.issues.map(({ path, message }) => [String(path[0]), message]))
}
