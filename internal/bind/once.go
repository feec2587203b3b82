package bind

import (
	"github.com/tarnlake/tarn/internal/plan"
)

// once makes the definition of a common table expression that may have other rows each time it is computed a part of the
// statement: Spark computes such a one once, and puts the others where they are used. nil for the others. What depends on a query
// around it, or on the step of a recursion, is computed where it stands.
func (b *binder) once(c *cte, node plan.Node) *plan.Part {
	if c.within != nil || !volatilePlan(node) || len(free(node)) > 0 || plan.OpenLoop(node) {
		return nil
	}
	p := plan.Part{ID: plan.OnceID(len(b.parts) + 1), Query: node}
	b.parts = append(b.parts, p)
	return &p
}

// onceRef is one more reference to a part, with columns of its own.
func (b *binder) onceRef(p *plan.Part) plan.Node {
	ref := &plan.OnceRef{Part: p.ID}
	for _, c := range p.Query.Output() {
		ref.Out = append(ref.Out, b.newColumn(c.Name, c.Type))
	}
	return ref
}

// withParts puts the parts that a plan reads above it. One that is read in a single place, where it is computed once anyway, stands
// there itself.
func (b *binder) withParts(n plan.Node) plan.Node {
	if len(b.parts) == 0 {
		return n
	}
	out := &plan.Once{Parts: b.parts, Input: n}
	// From the last on: a part that nothing reads reads nothing.
	for i := len(out.Parts) - 1; i >= 0; i-- {
		part, inputs := out.Parts[i], out.Inputs()
		uses := 0
		for _, in := range inputs[i+1:] {
			uses += references(in, part.ID)
		}
		if uses == 1 {
			for k := i + 1; k < len(inputs); k++ {
				before := inputs[k]
				if inputs[k] = inPlace(before, part); inputs[k] != before {
					uses = 0
				}
			}
		}
		if uses == 0 {
			out = out.WithInputs(inputs)
			out.Parts = append(out.Parts[:i:i], out.Parts[i+1:]...)
		}
	}
	if len(out.Parts) == 0 {
		return out.Input
	}
	return out
}

func references(n plan.Node, id plan.OnceID) int {
	count := 0
	_ = plan.Walk(n, func(n plan.Node) error {
		if r, ok := n.(*plan.OnceRef); ok && r.Part == id {
			count++
		}
		return nil
	})
	return count
}

// inPlace puts a part in the place of the reference to it, unless that is computed more than once: in a sub-query, the right of a
// lateral join, or the step of a recursion. Then n stays as it is.
func inPlace(n plan.Node, p plan.Part) plan.Node {
	if r, ok := n.(*plan.OnceRef); ok && r.Part == p.ID {
		rename := &plan.Project{Input: p.Query, Out: r.Out}
		for _, c := range p.Query.Output() {
			rename.Exprs = append(rename.Exprs, columnRef(c))
		}
		return rename
	}
	in := children(n)
	out := make([]plan.Node, len(in))
	for i, c := range in {
		join, isJoin := n.(*plan.Join)
		_, loop := n.(*plan.Recursion)
		if out[i] = c; i == 0 || !loop && !(isJoin && join.Lateral) {
			out[i] = inPlace(c, p)
		}
	}
	return withChildren(n, out)
}
