import ts from 'typescript';

/** A small change to a source file, which a test should notice. */
export interface Mutant {
  readonly start: number;
  readonly end: number;
  readonly replacement: string;
  /** A position that runs whenever the mutant can matter. */
  readonly origin: number;
}

const OPERATORS = new Map<ts.SyntaxKind, string>([
  [ts.SyntaxKind.PlusToken, '-'],
  [ts.SyntaxKind.MinusToken, '+'],
  [ts.SyntaxKind.AsteriskToken, '/'],
  [ts.SyntaxKind.SlashToken, '*'],
  [ts.SyntaxKind.LessThanToken, '<='],
  [ts.SyntaxKind.LessThanEqualsToken, '<'],
  [ts.SyntaxKind.GreaterThanToken, '>='],
  [ts.SyntaxKind.GreaterThanEqualsToken, '>'],
  [ts.SyntaxKind.EqualsEqualsEqualsToken, '!=='],
  [ts.SyntaxKind.ExclamationEqualsEqualsToken, '==='],
  [ts.SyntaxKind.AmpersandAmpersandToken, '||'],
  [ts.SyntaxKind.BarBarToken, '&&'],
  [ts.SyntaxKind.AmpersandToken, '|'],
  [ts.SyntaxKind.BarToken, '&'],
  [ts.SyntaxKind.PlusEqualsToken, '-='],
  [ts.SyntaxKind.MinusEqualsToken, '+='],
]);

/** All mutants of a source file, in source order. */
export function mutantsOf(source: string): Mutant[] {
  const file = ts.createSourceFile('source.ts', source, ts.ScriptTarget.ESNext, true);
  const mutants: Mutant[] = [];
  const replace = (node: ts.Node, replacement: string) => {
    const [start, end] = [node.getStart(file), node.getEnd()];
    if (source.slice(start, end) === replacement) return;
    // An operator is a child of its expression, whose left operand runs first.
    const origin = ts.isToken(node) && ts.isBinaryExpression(node.parent) ? node.parent : node;
    mutants.push({ start, end, replacement, origin: origin.getStart(file) });
  };
  const visit = (node: ts.Node): void => {
    if (isOutOfReach(node)) return;
    mutate(node, replace);
    ts.forEachChild(node, visit);
  };
  visit(file);
  return mutants;
}

/**
 * Whether no test can notice a change: types do not run, and error messages, prose and fallbacks
 * for impossible holes do not matter.
 */
function isOutOfReach(node: ts.Node): boolean {
  return (
    ts.isTypeNode(node) ||
    ts.isImportDeclaration(node) ||
    ts.isExportDeclaration(node) ||
    ts.isInterfaceDeclaration(node) ||
    ts.isTypeAliasDeclaration(node) ||
    ts.isTemplateExpression(node) ||
    ts.isThrowStatement(node) ||
    isProse(node) ||
    isFallback(node)
  );
}

/** Whether a node puts the parts of a description together. */
function isProse({ kind, parent }: ts.Node): boolean {
  return (
    kind === ts.SyntaxKind.BinaryExpression &&
    ts.isPropertyAssignment(parent) &&
    parent.name.getText() === 'description'
  );
}

/**
 * Whether a node is a constant fallback in `a ?? b`, which the compiler demands although the index
 * is valid.
 */
function isFallback(node: ts.Node): boolean {
  const { parent } = node;
  return (
    parent !== undefined &&
    ts.isBinaryExpression(parent) &&
    parent.operatorToken.kind === ts.SyntaxKind.QuestionQuestionToken &&
    parent.right === node &&
    (ts.isLiteralExpression(node) || ts.isArrayLiteralExpression(node) || isKeyword(node))
  );
}

function isKeyword({ kind }: ts.Node): boolean {
  return (
    kind === ts.SyntaxKind.NullKeyword ||
    kind === ts.SyntaxKind.TrueKeyword ||
    kind === ts.SyntaxKind.FalseKeyword
  );
}

function mutate(node: ts.Node, replace: (node: ts.Node, replacement: string) => void): void {
  if (ts.isBinaryExpression(node)) {
    const operator = OPERATORS.get(node.operatorToken.kind);
    if (operator) replace(node.operatorToken, operator);
  } else if (ts.isIfStatement(node)) {
    replace(node.expression, 'true');
    replace(node.expression, 'false');
  } else if (ts.isConditionalExpression(node)) {
    replace(node.condition, 'true');
    replace(node.condition, 'false');
  } else if (ts.isWhileStatement(node)) {
    replace(node.expression, 'false');
  } else if (ts.isPrefixUnaryExpression(node)) {
    if (node.operator === ts.SyntaxKind.ExclamationToken) replace(node, node.operand.getText());
    if (node.operator === ts.SyntaxKind.MinusToken) replace(node, node.operand.getText());
  } else if (ts.isReturnStatement(node)) {
    if (node.expression && !isKeyword(node.expression)) replace(node, 'return undefined;');
  } else if (ts.isExpressionStatement(node)) {
    if (!isSuperCall(node.expression)) replace(node, ';');
  } else if (ts.isNumericLiteral(node)) {
    replace(node, String(Number(node.text) + 1));
  } else if (node.kind === ts.SyntaxKind.TrueKeyword) {
    replace(node, 'false');
  } else if (node.kind === ts.SyntaxKind.FalseKeyword) {
    replace(node, 'true');
  } else if (ts.isStringLiteral(node) && !isName(node)) {
    replace(node, node.text === '' ? "'mutant'" : "''");
  }
}

function isSuperCall(node: ts.Node): boolean {
  return ts.isCallExpression(node) && node.expression.kind === ts.SyntaxKind.SuperKeyword;
}

/** Whether a string is a property name or a label, which the compiler checks. */
function isName({ parent }: ts.StringLiteral): boolean {
  return ts.isPropertyAssignment(parent) || ts.isPropertyDeclaration(parent);
}
