/** Types that follow from schemas, written out, so that users of a bundle need no types of the schemas' library. */
import ts from 'typescript';

const READONLY = 'readonly ';
/** A type of @fossick/base that names itself. */
const RECURSIVE = 'Json';
const { TypeFlags } = ts;
const PLAIN =
  TypeFlags.Any |
  TypeFlags.Unknown |
  TypeFlags.Boolean |
  TypeFlags.String |
  TypeFlags.Number |
  TypeFlags.BigInt |
  TypeFlags.Null |
  TypeFlags.Undefined |
  TypeFlags.Literal;

/**
 * A declaration file whose exports are types that other files compute: the same names, each with the type itself. For plain data: literals, unions, lists,
 * objects, index signatures. O(size of the types). Throws for other types.
 *
 * @param file path of the declaration file
 */
export function flatTypes(file) {
  const program = ts.createProgram([file], {
    strict: true,
    exactOptionalPropertyTypes: true,
    module: ts.ModuleKind.NodeNext,
    moduleResolution: ts.ModuleResolutionKind.NodeNext,
    skipLibCheck: true,
  });
  const checker = program.getTypeChecker();
  const exported = checker.getExportsOfModule(checker.getSymbolAtLocation(program.getSourceFile(file)));
  const lines = exported.map((symbol) => {
    const { name } = symbol;
    const aliased = symbol.flags & ts.SymbolFlags.Alias ? checker.getAliasedSymbol(symbol) : symbol;
    return `export type ${name} = ${written(checker, checker.getDeclaredTypeOfSymbol(aliased), name)};\n`;
  });
  return `import type { ${RECURSIVE} } from '@fossick/base';\n${lines.join('')}`;
}

function written(checker, type, path) {
  const inner = (part, name) => written(checker, part, `${path}.${name}`);
  if (type.aliasSymbol?.name === RECURSIVE) return RECURSIVE;
  if (type.flags & PLAIN) return checker.typeToString(type);
  if (type.isUnion()) return union(type.types, inner);
  if (checker.isArrayType(type)) {
    const isReadonly = type.symbol?.name === 'ReadonlyArray';
    return `${isReadonly ? READONLY : ''}(${inner(checker.getTypeArguments(type)[0], '[]')})[]`;
  }
  if (!(type.flags & TypeFlags.Object) || type.getCallSignatures().length > 0)
    throw new Error(`${path} is not plain data: ${checker.typeToString(type)}`);
  const members = checker.getPropertiesOfType(type).map((member) => {
    const isOptional = (member.flags & ts.SymbolFlags.Optional) !== 0;
    const type = checker.getTypeOfSymbol(member);
    const parts = type.isUnion() ? type.types : [type];
    // a member that may be absent is not undefined when it is there
    const shown = isOptional
      ? union(
          parts.filter(({ flags }) => !(flags & TypeFlags.Undefined)),
          inner,
        )
      : inner(type, member.name);
    return `${READONLY}${JSON.stringify(member.name)}${isOptional ? '?' : ''}: ${shown}`;
  });
  const indexed = checker.getIndexInfosOfType(type).map(({ keyType, type: of }) => {
    return `${READONLY}[name: ${checker.typeToString(keyType)}]: ${inner(of, '[name]')}`;
  });
  return `{ ${[...members, ...indexed].join('; ')} }`;
}

const union = (parts, write) => `(${parts.map((part) => write(part, '|')).join(' | ')})`;
