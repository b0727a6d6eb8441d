/** The value of an expression such as "2 * (3 + 4)". Knows + - * / ^, brackets, signs and decimals. */
export function evaluate(expression) {
  const tokens = expression.match(/\d+\.?\d*|\.\d+|\S/g) ?? []
  let next = 0

  function take(...wanted) {
    return wanted.includes(tokens[next] ?? "") ? tokens[next++] : undefined
  }

  function sum() {
    let value = product()
    for (let sign = take("+", "-"); sign; sign = take("+", "-")) {
      value += sign === "+" ? product() : -product()
    }
    return value
  }

  function product() {
    let value = signed()
    for (let sign = take("*", "/"); sign; sign = take("*", "/")) {
      value *= sign === "*" ? signed() : 1 / signed()
    }
    return value
  }

  function signed() {
    return take("-") ? -signed() : power()
  }

  function power() {
    const base = atom()
    return take("^") ? base ** signed() : base
  }

  function atom() {
    if (take("(")) {
      const value = sum()
      if (!take(")")) throw new Error("A closing bracket is missing.")
      return value
    }
    const token = tokens[next++]
    if (token === undefined) throw new Error("The expression ends too early.")
    if (!/\d/.test(token)) throw new Error(`"${token}" was not expected here.`)
    return Number(token)
  }

  const value = sum()
  if (next < tokens.length) throw new Error(`"${tokens[next]}" was not expected here.`)
  if (!Number.isFinite(value)) throw new Error("The result is not a number.")
  return Number(value.toPrecision(12))
}
