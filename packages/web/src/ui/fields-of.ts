/**
 * Connects a form's fields to its values. Returns a function that takes a value's name and returns the props for its
 * field.
 */
export function fieldsOf<T extends object>(
  form: T,
  change: (changed: Partial<T>) => void,
  faults: Partial<Record<string, string | null>> = {},
) {
  return <K extends keyof T & string>(name: K) => ({
    value: form[name],
    error: faults[name],
    onChange: (value: T[K]) => change({ [name]: value } as unknown as Partial<T>),
  })
}
