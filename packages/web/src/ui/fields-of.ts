/** Ties the fields of a form to its values: what it returns makes the props of the field that shows one, by its name. */
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
