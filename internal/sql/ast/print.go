package ast

import "strings"

// printer collects the text of a tree.
type printer struct{ strings.Builder }

// sqlText prints one node.
func sqlText(n Node) string {
	var p printer
	p.node(n)
	return p.Builder.String()
}

func (p *printer) node(n Node) { _ = n }
